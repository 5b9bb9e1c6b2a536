/** A large request for an upstream of another style: the worker writes it, and reads its whole answers. */
import type { Target } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { OperationHead, OperationUpstream } from '#canonical/operation/operation'
import type { Exchange } from '#relay/contract/exchange'
import type { LargeBody, LargeOperation } from '#relay/contract/large-body'
import type { LongFiles } from '#relay/exchange/long-files'
import { finishOf } from '#relay/exchange/outgoing'
import type { Candidate } from '#routing/order'
import type { InlineFiles } from './inline-files.ts'
import type { OperationServices, Sendable } from './upstream-request.ts'

/** A request converted for an upstream of another style. */
export interface Converted {
  upstream: OperationUpstream
  /** For a large body: its outline, undefined for a client that cannot get a stream. */
  question: unknown
  requests: readonly [Sendable, ...Sendable[]]
  losses: readonly Loss[]
  /** Reads whole answers in the worker; absent: on this thread. */
  whole?: Exchange['whole']
}

interface LargeGiven {
  large: LargeBody
  upstream: OperationUpstream
  target: Target
  inline: InlineFiles
  /** The files that its placeholders stand for. */
  long: LongFiles
  priced: OperationHead['priced']
}

/** Converts a large body in the worker. Rejects with GatewayError. */
export async function largeConverted(
  { parts, ask }: OperationServices,
  candidate: Candidate,
  { large, upstream, target, inline, long, priced }: LargeGiven,
): Promise<Converted> {
  const { style } = upstream
  const wanted = { style, target, params: candidate.channel.params, digest: finishOf(ask.operation, candidate).digest === true }
  let written = await large.questioned(wanted)
  if ('wants' in written) written = await large.questioned({ ...wanted, files: await inline(written.wants) })
  if ('wants' in written) throw new Error('files that were fetched are still wanted')
  const { requests, losses, outline } = written
  const [first, ...rest] = requests
  const sent = async ({ bytes, sha256, ...others }: LargeOperation): Promise<Sendable> => ({
    ...others,
    body: await long.payload({ bytes, ...(sha256 !== undefined && { sha256 }) }),
  })
  return {
    upstream,
    question: outline,
    requests: [await sent(first), ...(await Promise.all(rest.map(sent)))],
    losses,
    whole: (body, others) => large.answered([body, ...others], { style, edits: {}, priced, now: parts.clock.now() }),
  }
}
