/** Builds the usage row of one request from the results of the steps. */

import type { NewLog } from '#billing/ledger/books'
import { cost } from '#billing/pricing/cost'
import type { Price } from '#billing/pricing/price'
import type { Head } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import type { Ask } from '#relay/contract/ask'
import type { Candidate } from '#routing/order'
import type { Log } from '#runtime/log'
import type { AttemptRow, BillLine } from '#shared/console/log'
import type { GatewayError } from '#shared/errors'
import type { End } from '#shared/ids'
import { formatRatio } from '#shared/money'
import { upstreamPriceOf } from './upstream-price.ts'

export interface Outcome {
  end: End
  status: number
  error: GatewayError | undefined
  /** Undefined: nothing was used. */
  usage: Usage | undefined
  /** Nano-dollars. */
  cost: bigint
  /** Cost of a session, whose answers are priced one by one. */
  session?: { lines: BillLine[]; upstreamCost: bigint | undefined }
}

export interface Facts {
  ask: Pick<Ask, 'requestId' | 'caller' | 'operation' | 'dialect' | 'batch' | 'replay'>
  /** When the request arrived. */
  at: Date
  head: Pick<Head, 'model' | 'stream'> | undefined
  price: Price | undefined
  served: Candidate | undefined
  losses: readonly Loss[]
  notes?: NewLog['notes'] | undefined
  attempts: readonly AttemptRow[]
  firstTokenMs: number | undefined
  totalMs: number
}

/**
 * The usage row of a request. All fields that every row has are in one object literal: adding them later makes it three times as slow to
 * create.
 */
export function usageRow(facts: Facts, outcome: Outcome): NewLog {
  const { ask, head, price, served, notes } = facts
  const upstream = upstreamSide(served, outcome)
  const row: NewLog = {
    requestId: ask.requestId,
    at: facts.at,
    userId: ask.caller.user.id,
    memberId: ask.caller.member?.id ?? null,
    keyId: ask.caller.key?.id ?? null,
    key: ask.caller.key?.name ?? null,
    group: ask.caller.group.name,
    // The column is indexed, which limits its length.
    model: (head?.model ?? '').slice(0, 256),
    upstreamModel: served?.model.upstream ?? null,
    channel: served?.channel.name ?? null,
    operation: ask.operation,
    dialect: ask.dialect,
    stream: head?.stream ?? false,
    status: outcome.status,
    end: outcome.end,
    error: outcome.error ? { code: outcome.error.publicCode ?? outcome.error.code, message: outcome.error.message } : null,
    usage: outcome.usage ?? null,
    provenance: outcome.usage?.provenance ?? null,
    cost: outcome.cost,
    price: price ? { ...price.fields, ratio: formatRatio(ask.caller.group.ratio) } : null,
    losses: listed(facts.losses),
    firstTokenMs: facts.firstTokenMs === undefined ? null : Math.round(facts.firstTokenMs),
    totalMs: Math.round(facts.totalMs),
    attempts: [...facts.attempts],
    upstreamCost: upstream.cost,
    upstreamPrice: upstream.price,
    lines: outcome.session?.lines ?? null,
  }
  if (ask.batch !== undefined) row.batch = ask.batch
  if (notes?.length) row.notes = notes
  if (ask.replay) row.replayOf = ask.replay.of
  return row
}

/** Maximum losses of a row, and characters of a field name: callers choose how many fields they send, and their names. */
const mostLosses = 200
const longestField = 256

function listed(losses: readonly Loss[]): NewLog['losses'] {
  if (losses.length === 0) return []
  const rows = losses.slice(0, mostLosses).map(({ field, what, reason }) => ({ field: field.slice(0, longestField), what, reason }))
  const others = losses.length - rows.length
  return others === 0 ? rows : [...rows, { field: 'others', what: 'dropped', reason: `${others} further losses are not listed.` }]
}

interface UpstreamSide {
  /** Nano-dollars. */
  cost: bigint | null
  price: NonNullable<NewLog['upstreamPrice']> | null
}

const unpriced: UpstreamSide = { cost: null, price: null }

function upstreamSide(served: Candidate | undefined, { usage, session }: Outcome): UpstreamSide {
  const price = served && usage && upstreamPriceOf(served)
  if (!price) return unpriced
  const owed = session ? (session.upstreamCost ?? null) : cost(usage, price.rates, 1_000_000n)
  return { cost: writable(owed), price: price.fields }
}

/** The largest integer that a database column can hold. */
const mostNano = 2n ** 63n - 1n

/** An upstream can report any figure. Nobody is charged its costs, so if they do not fit, they are left out instead of losing the row. */
const writable = (nano: bigint | null) => (nano !== null && nano <= mostNano ? nano : null)

/** Logs a warning when a row's upstream cost had to be left out. */
export function logOverflowedBook(log: Log, { requestId, upstreamPrice, upstreamCost }: NewLog): void {
  if (upstreamPrice && upstreamCost === null)
    log.warn({ requestId }, 'the upstream cost of this request, as reported, is too large to be recorded')
}
