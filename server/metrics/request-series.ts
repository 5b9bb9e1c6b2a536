/**
 * What finished requests add up to, by the labels of their series. Counted in plain numbers for each request and given to the exporter
 * only when it is asked, so that metrics cost a request a microsecond or two.
 */
import { promptOf } from '#canonical/usage'
import { isTeamId } from '#shared/ids'
import type { NewLog } from '#store/ledger/ledger'
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
  /** Nano-dollars. */
  cost: bigint
  /** What the upstreams charge, nano-dollars. */
  upstreamCost: bigint
}

/** How often something happened, by labels. */
export interface EventSums {
  labels: Record<string, string>
  count: number
}

export interface RequestSeries {
  /** Adds a finished request. */
  add(row: NewLog): void
  readonly requests: Iterable<RequestSums>
  readonly errors: Iterable<EventSums>
  readonly failedAttempts: Iterable<EventSums>
  /** Attempts after the first one of a request, by channel. */
  readonly retries: Iterable<EventSums>
  /** Requests that a fallback model answered, by the model that was asked for and the one that answered. */
  readonly fallbacks: Iterable<EventSums>
  /** Nano-dollars by name of the key. */
  readonly keys: ReadonlyMap<string, bigint>
  /** Nano-dollars by id of the team that paid. */
  readonly teams: ReadonlyMap<string, bigint>
}

/** Different values of a label; more become `other`. */
const most = { model: 200, channel: 100, group: 100, key: 500, team: 200 }

/** Sums since the start of this process. */
export function createRequestSeries(): RequestSeries {
  const modelOf = limitLabel(most.model)
  const channelOf = limitLabel(most.channel)
  const groupOf = limitLabel(most.group)
  const keyOf = limitLabel(most.key)
  const requests = new Map<string, RequestSums>()
  const errors = new Map<string, EventSums>()
  const failedAttempts = new Map<string, EventSums>()
  const retries = new Map<string, EventSums>()
  const fallbacks = new Map<string, EventSums>()
  const teamOf = limitLabel(most.team)
  const keys = new Map<string, bigint>()
  const teams = new Map<string, bigint>()

  function sumsOf(row: NewLog): RequestSums {
    // A client can name any model; only those that exist are worth a series.
    const model = row.price === null ? '' : modelOf(row.model)
    const channel = channelOf(row.channel ?? '')
    const group = groupOf(row.group)
    const id = `${row.operation}\n${row.dialect}\n${model}\n${channel}\n${group}\n${row.status}`
    const known = requests.get(id)
    if (known) return known
    const labels = { operation: row.operation, dialect: row.dialect, model, channel, group, status: String(row.status) }
    const tokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 }
    const made: RequestSums = { labels, requests: 0, tokens, cost: 0n, upstreamCost: 0n }
    requests.set(id, made)
    return made
  }

  return {
    requests: { [Symbol.iterator]: () => requests.values() },
    errors: { [Symbol.iterator]: () => errors.values() },
    failedAttempts: { [Symbol.iterator]: () => failedAttempts.values() },
    retries: { [Symbol.iterator]: () => retries.values() },
    fallbacks: { [Symbol.iterator]: () => fallbacks.values() },
    keys,
    teams,
    add(row) {
      const sums = sumsOf(row)
      sums.requests += 1
      sums.cost += row.cost
      sums.upstreamCost += row.upstreamCost ?? 0n
      if (row.usage) addTokens(sums, row.usage)
      if (row.key !== null && row.key !== undefined && row.cost > 0n) {
        const key = keyOf(row.key)
        keys.set(key, (keys.get(key) ?? 0n) + row.cost)
      }
      if (row.cost > 0n && isTeamId(row.userId)) {
        const team = teamOf(row.userId)
        teams.set(team, (teams.get(team) ?? 0n) + row.cost)
      }
      if (row.error) count(errors, { operation: row.operation, code: row.error.code })
      for (const [n, { channel, cause }] of row.attempts.entries()) {
        if (cause !== null && cause !== undefined) count(failedAttempts, { channel: channelOf(channel), cause })
        if (n > 0) count(retries, { channel: channelOf(channel) })
      }
      const last = row.attempts.at(-1)
      if (last?.model !== undefined && last.cause === null) count(fallbacks, { model: sums.labels.model, to: modelOf(last.model) })
    },
  }
}

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
  const id = Object.values(labels).join('\n')
  const known = sums.get(id)
  if (known) known.count += 1
  else sums.set(id, { labels, count: 1 })
}
