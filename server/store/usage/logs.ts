/** Reads usage rows: a page, newest first, or a single one. They are written by the ledger, together with the money. */
import { and, desc, eq, gte, inArray, isNull, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { keptBodies, logs } from '#db/schema'
import { GatewayError } from '#shared/errors'
import { type End, failedEnds } from '#shared/ids'
import type { Store } from '#store/engine/store'
import { type StoredLog, unpacked } from '#store/ledger/row-detail'
import { type LogPosition, type LogSpan, scanForRequest, scanLogs, spanCondition } from './log-scan.ts'
import type { UsageFilter } from './usage-question.ts'

/** A page of rows. */
export interface LogPage {
  rows: StoredLog[]
  /** Pass this as `after` to get older rows; null at the end. */
  next: string | null
}

/** Further conditions on single rows; each that is given must hold. */
export interface LogConditions {
  status?: number
  /** Errors as usage counts them: requests that ended in an error, or were cut. */
  failed?: boolean
  end?: End
  /** The code of the error. */
  error?: string
  /** Part of its message, ignoring case. */
  errorText?: string
  stream?: boolean
  /** The model that answered, as the upstream names it. */
  upstreamModel?: string
  /** Whether a conversion changed or dropped something. */
  losses?: boolean
  /** Nano-dollars. */
  minCost?: bigint
  /** Milliseconds until the last byte. */
  minMs?: number
  /** `true`: its bodies are stored. */
  stored?: true
}

/** Filter and position of a page. */
export interface LogsAsked {
  filter?: UsageFilter
  conditions?: LogConditions
  from?: Date
  /** Exclusive. */
  to?: Date
  limit: number
  after?: string
}

const filtered = {
  user: logs.userId,
  member: logs.memberId,
  key: logs.keyId,
  group: logs.group,
  model: logs.model,
  channel: logs.channel,
} as const

/**
 * One page, newest first. Rows inserted between two pages shift nothing. Throws `invalid_value` when `after` is not a cursor of this
 * log.
 */
export async function pageLogs(store: Store, { filter = {}, conditions = {}, from, to, limit, after }: LogsAsked): Promise<LogPage> {
  const { channel, ...others } = filter
  const wanted = Object.entries(others).map(([name, value]) => eq(filtered[name as keyof UsageFilter], value))
  const rest = and(...wanted, ...conditionsOf(conditions))
  const answered = channel === undefined ? undefined : eq(logs.channel, channel)
  // Most failed requests have no answer: they belong to a channel because it was tried.
  const cases = channel !== undefined && conditions.failed ? [answered, onlyAsked(channel)].map((one) => and(rest, one)) : []
  const where = cases.length > 0 ? or(...cases) : and(rest, answered)
  const span: LogSpan = { from, to, since: after === undefined ? undefined : { ...positionOf(after), isSeen: true } }
  // Rows of a user or a key, and of all, have an index in their order.
  const isOrdered = filter.user !== undefined || filter.key !== undefined || where === undefined
  const found = isOrdered
    ? await store.db
        .select()
        .from(logs)
        .where(and(where, spanCondition(span)))
        .orderBy(desc(logs.at), desc(logs.requestId))
        .limit(limit + 1)
    : await scanLogs(store, { ...span, where, cases, limit: limit + 1 })
  const rows = found.slice(0, limit).map(unpacked)
  const last = rows.at(-1)
  return { rows, next: last && found.length > rows.length ? `${last.at.getTime()}.${last.requestId}` : null }
}

function conditionsOf(asked: LogConditions): (SQL | undefined)[] {
  const { status, failed, end, error, errorText, stream, upstreamModel, losses, minCost, minMs, stored } = asked
  return [
    status === undefined ? undefined : eq(logs.status, status),
    failed === undefined ? undefined : (failed ? inArray : notInArray)(logs.end, [...failedEnds]),
    end === undefined ? undefined : eq(logs.end, end),
    error === undefined ? undefined : sql`${logs.error} ->> 'code' = ${error}`,
    ...(errorText === undefined ? [] : withErrorText(errorText)),
    stream === undefined ? undefined : sql`(${logs.stream}::int) = ${Number(stream)}`,
    upstreamModel === undefined ? undefined : eq(logs.upstreamModel, upstreamModel),
    losses === undefined ? undefined : sql`((${logs.losses} <> '[]'::jsonb)::int) = ${Number(losses)}`,
    minCost === undefined ? undefined : gte(logs.cost, minCost),
    minMs === undefined ? undefined : gte(logs.totalMs, minMs),
    stored && sql`exists (select 1 from ${keptBodies} where ${keptBodies.requestId} = ${logs.requestId})`,
  ]
}

/** Older rows have `attempts`. */
const onlyAsked = (channel: string): SQL | undefined =>
  and(
    isNull(logs.channel),
    sql`(position(${`"channel":${JSON.stringify(channel)},`} in coalesce(${logs.detail}, '')) > 0
      or ${logs.attempts} @> ${JSON.stringify([{ channel }])}::jsonb)`,
  )

/** The index of errors excludes stretches of the log without any; the others are searched for the words. */
const withErrorText = (text: string): SQL[] => [
  sql`(${logs.error} ->> 'code') is not null`,
  sql`position(lower(${text}) in lower(${logs.error} ->> 'message')) > 0`,
]

/** Undefined when there is none, or it is another user's. */
export async function findLog(store: Store, requestId: string, userId?: string): Promise<StoredLog | undefined> {
  const own = userId === undefined ? undefined : eq(logs.userId, userId)
  const row = await scanForRequest(store, and(eq(logs.requestId, requestId), own))
  return row && unpacked(row)
}

/** Milliseconds around the given time in which a row is searched. */
const nearMs = 60_000

/** The row of a request that arrived at about this time, found by it. Undefined when there is none. */
export async function findLogNear({ db }: Store, requestId: string, at: Date): Promise<StoredLog | undefined> {
  const [from, to] = [-nearMs, nearMs].map((ms) => new Date(at.getTime() + ms))
  const [row] = await db
    .select()
    .from(logs)
    .where(and(spanCondition({ from, to, since: undefined }), eq(logs.requestId, requestId)))
    .limit(1)
  return row && unpacked(row)
}

function positionOf(after: string): LogPosition {
  // With at most 14 digits the milliseconds are a time that every database accepts.
  const [, at, requestId] = /^(\d{1,14})\.([\x21-\x7e]{1,200})$/.exec(after) ?? []
  if (at === undefined || requestId === undefined) {
    throw new GatewayError('invalid_value', "'after' must be the 'next' of an earlier page.", { param: 'after' })
  }
  return { at: new Date(Number(at)), requestId }
}
