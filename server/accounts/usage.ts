/** Access to usage reports: users see their own usage, administrators see all, including the dimensions only they may see. */
import { createReportQueue } from '#accounts/usage/report-queue'
import type { UsageReportRow, UsageTotals } from '#shared/console/usage'
import { GatewayError } from '#shared/errors'
import { house, isTeamId, memberIdOf } from '#shared/ids'
import { formatUsd } from '#shared/money'
import { namesOfRemoved, removedNamed } from '#store/accounts/removed-users'
import type { Store } from '#store/engine/store'
import { addUpUsage } from '#store/usage/usage'
import type { UsageFilter, UsageLists, UsageQuestion } from '#store/usage/usage-question'
import type { UsageSums } from '#store/usage/usage-sums'
import type { User } from './caller.ts'
import type { Directory } from './directory.ts'
import { roleIn, seesAll } from './team-rights.ts'

/** One page of a report. */
export interface UsageReport {
  rows: UsageReportRow[]
  /** Pass this as `after` to get the next page; undefined at the end. */
  next: string[] | undefined
}

/** A requested report. `only`: of these users and keys; users only for administrators. */
export type AskedUsage = Omit<UsageQuestion, 'filter'> & { filter: AskedFilter; only?: UsageLists }

/** Runs usage reports. */
export interface UsageReports {
  /**
   * Throws `not_permitted` for filters that `visibleTo` rejects and for channels, `invalid_value` for an invalid span or time zone, and
   * what `usage/report-queue.ts` throws. `signal`: aborted when the client disconnects.
   */
  report(reader: User, question: AskedUsage, signal?: AbortSignal): Promise<UsageReport>
}

/** Usage reports over this store. */
export function createUsageReports(store: Store, directory: Directory): UsageReports {
  const queue = createReportQueue()
  return {
    async report(reader, question, signal) {
      if (reader.role !== 'admin' && question.by.includes('channel')) throw onlyAdministrators('by')
      if (reader.role !== 'admin' && question.only?.users) throw onlyAdministrators('users')
      const filter = { ...(await visibleTo(reader, question.filter, store, directory)), ...question.only }
      const sums = await queue.run(() => addUpUsage(store, { ...question, filter }, signal), signal)
      const page = sums.slice(0, question.limit)
      const names = await namesIn(page, question, store, directory)
      const rows = page.map((one) => ({ ...keysOf(one, question, names), ...totalsOf(one, reader) }))
      return { rows, next: sums.length > page.length ? page.at(-1)?.keys : undefined }
    },
  }
}

/** Filter of a report or a list of requests. `team`: what this team paid; otherwise `user` is about what users paid. */
export type AskedFilter = Omit<UsageFilter, 'member'> & { team?: string }

/**
 * Translates a filter to what the tables hold: names of users and keys become ids, and a reader who is not an administrator is
 * restricted to their own rows, or within a team to what their role there shows. Throws `not_permitted` when such a reader filters by
 * others or by channel.
 */
export async function visibleTo(reader: User, filter: AskedFilter, store: Store, directory: Directory): Promise<UsageFilter> {
  const { user, key, team, ...rest } = filter
  if (reader.role !== 'admin') {
    if (filter.channel !== undefined) throw onlyAdministrators('channel')
    if (team === undefined && user !== undefined && user !== reader.id && user !== reader.name) throw onlyAdministrators('user')
  }
  const inTeam = team === undefined ? undefined : await shownOfTeam(reader, team, user, store, directory)
  const owner = inTeam?.user ?? (reader.role === 'admin' ? user && (await idOfUser(user, store, directory)) : reader.id)
  return {
    ...rest,
    ...inTeam,
    ...(owner !== undefined && { user: owner }),
    ...(key !== undefined && { key: keyNamed(key, owner, directory) ?? key }),
  }
}

/** What the reader may see of a team: everything, or only the reader's own requests. */
async function shownOfTeam(reader: User, named: string, user: string | undefined, store: Store, directory: Directory) {
  const known = directory.teams.get(named) ?? directory.teamNamed(named)
  const isAdmin = reader.role === 'admin'
  const teamId = known?.team.id ?? (isAdmin ? ((await removedNamed(store, named, 'team'))[0] ?? named) : undefined)
  const role = known && roleIn(directory, reader, known.team.id)
  if (teamId === undefined || (role === undefined && !isAdmin)) throw onlyAdministrators('team')
  const isOwn = user === undefined || user === reader.id || user === reader.name
  if (!isAdmin && !seesAll(role)) {
    if (!isOwn) throw onlyAdministrators('user')
    return { user: teamId, member: memberIdOf(teamId, reader.id) }
  }
  return { user: teamId, ...(user !== undefined && { member: memberIdOf(teamId, await idOfUser(user, store, directory)) }) }
}

/** The refusal of a query that this parameter restricts to administrators. */
export const onlyAdministrators = (param: string) =>
  new GatewayError('not_permitted', 'Only administrators may query other users or teams, channels or upstreams.', { param })

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
  const named = [...keys.all()].filter(({ key }) => key.name === name && (owner === undefined || (key.teamId ?? key.userId) === owner))
  if (named.length > 1) throw severalAre('key')
  return named[0]?.key.id
}

/** Current names of users, teams and keys, or the last ones of removed rows. */
interface Names {
  user(id: string): string | null
  key(id: string): string | undefined
}

async function namesIn(page: readonly UsageSums[], { by }: Pick<UsageQuestion, 'by'>, store: Store, directory: Directory): Promise<Names> {
  const { users, teams, keys } = directory
  const current = (id: string) => (id === house.id ? house : isTeamId(id) ? teams.get(id)?.team : users.get(id))?.name
  const places = [by.indexOf('user'), by.indexOf('team')]
  const ids = new Set(page.flatMap(({ keys }) => places.flatMap((at) => keys[at] || [])))
  const removed = await namesOfRemoved(
    store,
    [...ids].filter((id) => current(id) === undefined),
  )
  return { user: (id) => current(id) ?? removed.get(id) ?? null, key: (id) => keys.get(id)?.key.name }
}

function keysOf({ keys, keyName }: UsageSums, { by }: Pick<UsageQuestion, 'by'>, names: Names): Partial<UsageReportRow> {
  const fields = by.map((what, n) => {
    const value = keys[n] ?? ''
    if (what === 'user' || what === 'team') return [what, value === '' ? null : { id: value, name: names.user(value) }]
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
