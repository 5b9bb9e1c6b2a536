/** The usage row of a request that Parley itself sent to a channel. It belongs to the installation; nobody is charged. */
import type { NewLog } from '#billing/ledger/books'
import { cost } from '#billing/pricing/cost'
import { upstreamPriceOf } from '#relay/spend/upstream-price'
import { house, scheduledCheck } from '#shared/ids'
import type { Probed } from './probe.ts'

/** The upstream cost comes from the channel's `costs`, as for any other request. */
export function checkRow({ candidate, stream, at, result, usage }: Probed, requestId: string): NewLog {
  const { channel, model, key } = candidate
  const price = usage && upstreamPriceOf(candidate)
  const phase = result.ok ? 'done' : result.status === null ? 'connect' : 'first-event'
  return {
    requestId,
    at: new Date(at),
    userId: house.id,
    memberId: null,
    keyId: null,
    key: scheduledCheck,
    group: [...channel.groups][0] ?? 'default',
    model: model.name,
    upstreamModel: model.upstream,
    channel: channel.name,
    operation: 'generate',
    dialect: 'chat',
    stream,
    status: result.ok ? 200 : (result.status ?? 502),
    end: result.ok ? 'complete' : 'error',
    error: result.error,
    usage: usage ?? null,
    provenance: usage?.provenance ?? null,
    cost: 0n,
    price: null,
    upstreamCost: price && usage ? cost(usage, price.rates, 1_000_000n) : null,
    upstreamPrice: price?.fields ?? null,
    lines: null,
    losses: [],
    firstTokenMs: null,
    totalMs: result.ms,
    attempts: [
      { channel: channel.name, key: key?.name ?? null, phase, status: result.status, cause: result.error?.code ?? null, ms: result.ms },
    ],
  }
}
