/**
 * Sums of finished requests, by the labels of their series. Requests that differ only in amounts find their series by comparing
 * their common fields, without allocations; the exporter gets the sums only on a scrape.
 */
import { promptOf } from '#canonical/usage'
import { isTeamId } from '#shared/ids'
import type { NewLog } from '#store/ledger/ledger'
import { addDuration, type DurationSums, durationSums } from './durations.ts'
import { limitLabel } from './label-limit.ts'

/** The labels of every request. `channel` is empty when no upstream served it. */
export interface RequestLabels {
  operation: string
  dialect: string
  model: string
  channel: string
  group: string
  /** The HTTP status. */
  status: string
}

/** The sums of one series. */
export interface RequestSums {
  labels: RequestLabels
  requests: number
  /** Tokens by kind. */
  tokens: { input: number; cacheRead: number; cacheWrite: number; output: number; reasoning: number }
  /** Nano-dollars: exact up to nine million dollars, then as exact as Prometheus' values. */
  cost: number
  /** The upstreams' charges, likewise. */
  upstreamCost: number
}

/** How often something happened, by labels. */
export interface EventSums {
  labels: Record<string, string>
  count: number
}

/** How long requests took, by labels. */
export interface TimedSums {
  labels: Record<string, string>
  sums: DurationSums
}

/** Seconds that bound the buckets of durations. */
export const requestSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

export interface RequestSeries {
  /** Adds a finished request. */
  add(row: NewLog): void
  readonly requests: Iterable<RequestSums>
  readonly errors: Iterable<EventSums>
  readonly failedAttempts: Iterable<EventSums>
  /** Attempts after the first one of a request, by channel. */
  readonly retries: Iterable<EventSums>
  /** Requests that a fallback model answered, by requested and answering model. */
  readonly fallbacks: Iterable<EventSums>
  /** From arrival to end, by operation and whether the answer is streamed. */
  readonly totals: Iterable<TimedSums>
  /** From arrival to the first token, by operation. */
  readonly firstTokens: Iterable<TimedSums>
  /** Nano-dollars by name of the key. */
  readonly keys: ReadonlyMap<string, { cost: number }>
  /** Nano-dollars by id of the team that paid. */
  readonly teams: ReadonlyMap<string, { cost: number }>
}

/** Different values of a label; more become `other`. */
const most = { model: 200, channel: 100, group: 100, key: 500, team: 200 }

/** Requests that differ only in amounts, and their sums. */
interface Kind extends Pick<NewLog, 'operation' | 'dialect' | 'channel' | 'group' | 'status' | 'stream'> {
  sums: RequestSums
  total: DurationSums
  firstToken: DurationSums
}

/** Size of the cache of kinds; the sums stay when a kind is evicted. */
const mostKinds = 5_000

/** Sums since the start of this process. */
export function createRequestSeries(): RequestSeries {
  const modelOf = limitLabel(most.model)
  const channelOf = limitLabel(most.channel)
  const groupOf = limitLabel(most.group)
  const kinds = new Map<string, Kind[]>()
  let known = 0
  const requests = new Map<string, RequestSums>()
  const totals = new Map<string, TimedSums>()
  const firstTokens = new Map<string, TimedSums>()
  const errors = new Map<string, EventSums>()
  const failedAttempts = new Map<string, EventSums>()
  const retries = new Map<string, EventSums>()
  const fallbacks = new Map<string, EventSums>()
  const keys = createCosts(most.key)
  const teams = createCosts(most.team)

  function kindOf(row: NewLog): Kind {
    // A client can name any model; only existing ones get a series.
    const model = row.price === null ? '' : row.model
    const siblings = kinds.get(model)
    if (siblings !== undefined) for (const each of siblings) if (isOf(each, row)) return each
    return newKind(model, row)
  }

  function newKind(model: string, { operation, dialect, channel, group, status, stream }: NewLog): Kind {
    if (known >= mostKinds) {
      kinds.clear()
      known = 0
    }
    known += 1
    const [limitedModel, limitedChannel] = [modelOf(model), channelOf(channel ?? '')]
    const labels = { operation, dialect, model: limitedModel, channel: limitedChannel, group: groupOf(group), status: String(status) }
    const kind = {
      ...{ operation, dialect, channel, group, status, stream, sums: sumsOf(labels) },
      total: timesOf(totals, { operation, stream: String(stream) }),
      firstToken: timesOf(firstTokens, { operation }),
    }
    const siblings = kinds.get(model)
    if (siblings === undefined) kinds.set(model, [kind])
    else siblings.push(kind)
    return kind
  }

  function sumsOf(labels: RequestLabels): RequestSums {
    const id = idOf({ ...labels })
    const before = requests.get(id)
    if (before) return before
    const tokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }
    const made: RequestSums = { labels, requests: 0, tokens, cost: 0, upstreamCost: 0 }
    requests.set(id, made)
    return made
  }

  /** Counts a request's attempts before the last. */
  function addAttempts({ attempts }: NewLog, model: string): void {
    for (let n = 0; n < attempts.length; n += 1) {
      const attempt = attempts[n]
      if (attempt === undefined) break
      const { channel, cause } = attempt
      if (cause !== null && cause !== undefined) count(failedAttempts, { channel: channelOf(channel), cause })
      if (n > 0) count(retries, { channel: channelOf(channel) })
    }
    const last = attempts.at(-1)
    if (last?.model !== undefined && last.cause === null) count(fallbacks, { model, to: modelOf(last.model) })
  }

  return {
    requests: { [Symbol.iterator]: () => requests.values() },
    totals: { [Symbol.iterator]: () => totals.values() },
    // A kind of request may have no tokens at all.
    firstTokens: { [Symbol.iterator]: () => [...firstTokens.values()].filter(({ sums }) => sums.count > 0).values() },
    errors: { [Symbol.iterator]: () => errors.values() },
    failedAttempts: { [Symbol.iterator]: () => failedAttempts.values() },
    retries: { [Symbol.iterator]: () => retries.values() },
    fallbacks: { [Symbol.iterator]: () => fallbacks.values() },
    keys: keys.sums,
    teams: teams.sums,
    add(row) {
      const { sums, total, firstToken } = kindOf(row)
      const cost = Number(row.cost)
      sums.requests += 1
      sums.cost += cost
      if (row.upstreamCost !== null && row.upstreamCost !== undefined) sums.upstreamCost += Number(row.upstreamCost)
      if (row.usage) addTokens(sums, row.usage)
      addDuration(total, row.totalMs / 1000)
      if (row.firstTokenMs !== null && row.firstTokenMs !== undefined) addDuration(firstToken, row.firstTokenMs / 1000)
      if (cost > 0) {
        if (row.key !== null && row.key !== undefined) keys.add(row.key, cost)
        if (isTeamId(row.userId)) teams.add(row.userId, cost)
      }
      if (row.error) count(errors, { operation: row.operation, code: row.error.code })
      addAttempts(row, sums.labels.model)
    },
  }
}

const isOf = (kind: Kind, row: NewLog): boolean =>
  kind.channel === row.channel &&
  kind.status === row.status &&
  kind.group === row.group &&
  kind.dialect === row.dialect &&
  kind.stream === row.stream &&
  kind.operation === row.operation

/** Nano-dollars by name, of `limit` names and `other`. */
function createCosts(limit: number) {
  const nameOf = limitLabel(limit)
  const sums = new Map<string, { cost: number }>()
  function sumOf(name: string) {
    const made = sums.get(name) ?? { cost: 0 }
    sums.set(name, made)
    return made
  }
  return {
    sums,
    add(name: string, cost: number): void {
      const sum = sums.get(name) ?? sumOf(nameOf(name))
      sum.cost += cost
    },
  }
}

function timesOf(times: Map<string, TimedSums>, labels: Record<string, string>): DurationSums {
  const id = idOf(labels)
  const known = times.get(id) ?? { labels, sums: durationSums(requestSeconds) }
  times.set(id, known)
  return known.sums
}

const idOf = (labels: Record<string, string>): string => Object.values(labels).join('\n')

function addTokens({ tokens }: RequestSums, usage: NonNullable<NewLog['usage']>): void {
  const { '5m': short, '1h': long, other } = usage.in.cacheWrite
  const written = short + long + other
  tokens.input += promptOf(usage) - usage.in.cacheRead - written
  tokens.cacheRead += usage.in.cacheRead
  tokens.cacheWrite += written
  tokens.output += usage.out.total
  tokens.reasoning += usage.out.reasoning
}

function count(sums: Map<string, EventSums>, labels: Record<string, string>): void {
  const id = idOf(labels)
  const known = sums.get(id)
  if (known) known.count += 1
  else sums.set(id, { labels, count: 1 })
}
