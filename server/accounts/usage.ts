/** Access to usage reports: users see their own usage, administrators see all, including the dimensions only they may see. */
import { createReportQueue } from '#accounts/usage/report-queue'
import type { UsageReportRow, UsageTotals } from '#shared/console/usage'
import { GatewayError } from '#shared/errors'
import { formatUsd } from '#shared/money'
import { namesOfRemoved, removedNamed } from '#store/accounts/removed-users'
import type { Store } from '#store/engine/store'
import { addUpUsage } from '#store/usage/usage'
import type { UsageFilter, UsageQuestion } from '#store/usage/usage-question'
import type { UsageSums } from '#store/usage/usage-sums'
import type { User } from './caller.ts'
import type { Directory } from './directory.ts'

/** One page of a report. */
export interface UsageReport {
  rows: UsageReportRow[]
  /** Pass this as `after` to get the next page; undefined at the end. */
  next: string[] | undefined
}

/** Runs usage reports. */
export interface UsageReports {
  /**
   * Throws `not_permitted` for filters that `visibleTo` rejects and for channels, `invalid_value` for an invalid span or time zone, and
   * what `usage/report-queue.ts` throws. `signal`: the reader's.
   */
  report(reader: User, question: UsageQuestion, signal?: AbortSignal): Promise<UsageReport>
}

/** Usage reports over this store. */
export function createUsageReports(store: Store, directory: Directory): UsageReports {
  const queue = createReportQueue()
  return {
    async report(reader, question, signal) {
      if (reader.role !== 'admin' && question.by.includes('channel')) throw onlyAdministrators('by')
      const filter = await visibleTo(reader, question.filter, store, directory)
      const sums = await queue.run(() => addUpUsage(store, { ...question, filter }, signal), signal)
      const page = sums.slice(0, question.limit)
      const names = await namesIn(page, question, store, directory)
      const rows = page.map((one) => ({ ...keysOf(one, question, names), ...totalsOf(one, reader) }))
      return { rows, next: sums.length > page.length ? page.at(-1)?.keys : undefined }
    },
  }
}

/**
 * Translates a filter to what the tables hold: names of users and keys become ids, and a reader who is not an administrator is
 * restricted to their own rows. Throws `not_permitted` when such a reader filters by other users or by channel.
 */
export async function visibleTo(reader: User, filter: UsageFilter, store: Store, directory: Directory): Promise<UsageFilter> {
  const { user, key, ...rest } = filter
  if (reader.role !== 'admin') {
    if (filter.channel !== undefined) throw onlyAdministrators('channel')
    if (user !== undefined && user !== reader.id && user !== reader.name) throw onlyAdministrators('user')
  }
  const owner = reader.role === 'admin' ? user && (await idOfUser(user, store, directory)) : reader.id
  return {
    ...rest,
    ...(owner !== undefined && { user: owner }),
    ...(key !== undefined && { key: keyNamed(key, owner, directory) ?? key }),
  }
}

const onlyAdministrators = (param: string) =>
  new GatewayError('not_permitted', 'Only administrators may ask for other users, or by channel.', { param })

/** The id of the user with this name, or of the only removed user who had it; an unknown name is taken for an id. */
async function idOfUser(name: string, store: Store, { users, userNamed }: Directory): Promise<string> {
  const known = userNamed(name)?.id ?? users.get(name)?.id
  if (known !== undefined) return known
  const removed = await removedNamed(store, name)
  if (removed.length > 1) throw severalAre('user')
  return removed[0] ?? name
}

const severalAre = (param: 'user' | 'key') =>
  new GatewayError('invalid_value', `${param}: several ${param}s have this name, or had it; give the id.`, { param })

/** The id of the only key with this name. */
function keyNamed(name: string, owner: string | undefined, { keys }: Directory): string | undefined {
  if (keys.get(name)) return name
  const named = [...keys.all()].filter(({ key }) => key.name === name && (owner === undefined || key.userId === owner))
  if (named.length > 1) throw severalAre('key')
  return named[0]?.key.id
}

/** Current names of users and keys, or the last ones of removed rows. */
interface Names {
  user(id: string): string | null
  key(id: string): string | undefined
}

async function namesIn(page: readonly UsageSums[], { by }: UsageQuestion, store: Store, { users, keys }: Directory): Promise<Names> {
  const at = by.indexOf('user')
  const gone = new Set(page.flatMap(({ keys }) => keys[at] ?? []).filter((id) => users.get(id) === undefined))
  const removed = await namesOfRemoved(store, [...gone])
  return { user: (id) => users.get(id)?.name ?? removed.get(id) ?? null, key: (id) => keys.get(id)?.key.name }
}

function keysOf({ keys, keyName }: UsageSums, { by }: UsageQuestion, names: Names): Partial<UsageReportRow> {
  const fields = by.map((what, n) => {
    const value = keys[n] ?? ''
    if (what === 'user') return [what, { id: value, name: names.user(value) }]
    if (what === 'key') return [what, value === '' ? null : { id: value, name: names.key(value) ?? keyName }]
    return [what, what === 'channel' && value === '' ? null : value]
  })
  return Object.fromEntries(fields)
}

function totalsOf({ figures, cost, charged, upstreamCost, margin, totalMs, firstTokenMs }: UsageSums, reader: User): UsageTotals {
  const usd = (nano: bigint | null) => (nano === null ? null : formatUsd(nano))
  const { images, seconds, characters, searches } = figures
  return {
    requests: figures.requests,
    errors: figures.errors,
    tokens: {
      in: {
        fresh: figures.fresh,
        cacheRead: figures.cache_read,
        cacheWrite: figures.cache_write,
        audio: figures.audio_in,
        image: figures.image_in,
      },
      out: { total: figures.output, reasoning: figures.reasoning, audio: figures.audio_out, image: figures.image_out },
    },
    units: { images, seconds, characters, searches },
    cost: formatUsd(cost),
    charged: formatUsd(charged),
    ...(reader.role === 'admin' && { upstreamCost: usd(upstreamCost), margin: usd(margin) }),
    latency: { total: totalMs, firstToken: firstTokenMs },
  }
}
