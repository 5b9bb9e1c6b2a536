/**
 * Checks recent changes and writes notices. It uses the same reports as the console, only for keys and
 * users that were used within a quarter of an hour, and does nothing while there are no hooks.
 */
import type { Accounts } from '#accounts/accounts'
import type { User } from '#accounts/caller'
import { budgetedInTeams } from '#accounts/directory'
import type { Teams } from '#accounts/teams/teams'
import type { BudgetsLeft } from '#billing/ledger/budgets-left'
import type { PriceBook } from '#billing/pricing/price'
import type { ChannelRegistry } from '#routing/channels'
import type { Health } from '#routing/health-contract'
import type { Clock } from '#runtime/clock'
import type { Budget } from '#shared/console/limits'
import type { BudgetState } from '#shared/console/overview'
import type { UsageKey, UsageReportRow } from '#shared/console/usage'
import type { Alerts } from './alerts.ts'
import {
  type KeySpend,
  type Notice,
  type OpenBreaker,
  ofBackup,
  ofBalances,
  ofBodies,
  ofBreakers,
  ofBudgets,
  ofJournal,
  ofKeySpend,
  ofMargins,
  ofUnpriced,
} from './notice.ts'

/** Sources of the checks. */
export interface WatchParts {
  alerts: Pick<Alerts, 'hooks' | 'note'>
  accounts: Pick<Accounts, 'keys' | 'users' | 'groups' | 'usageReports' | 'usageLog' | 'directory'>
  teams: Pick<Teams, 'seenBy' | 'rows'>
  budgetsLeft: BudgetsLeft
  channels: Pick<ChannelRegistry, 'rows'>
  prices: PriceBook
  health: Pick<Health, 'ailments'>
  journalShare(): number
  /** Why bodies cannot be stored; undefined: they can. */
  bodiesFault(): string | undefined
  /** Backups on a timer; absent: not configured. */
  backups?: (() => { isOverdue: boolean; lastAt: number | undefined }) | undefined
  /** The installation of this process. */
  instance: string
  publicUrl: URL
  clock: Clock
}

const minuteMs = 60_000
const lateMs = 15 * minuteMs
const spendMs = 10 * minuteMs
const dayMs = 86_400_000
const pastMs = 7 * dayMs
/** Most rows of one report, and most reports of one check. */
const pageRows = 1_000
const mostPages = 10
/** Most keys whose history is queried at once. */
const mostSuspects = 20
const mostAsked = 100

/** The reader of the reports: the house sees everything. */
const house: User = {
  ...{ id: 'house', name: 'house', role: 'admin', group: 'default', groups: ['default'], enabled: true, managed: 'console' },
  ...{ createdAt: new Date(0), budget: null, limits: null },
}

/** Runs one check; rejects when the database does not answer. Call it on a schedule: it remembers since when breakers are open. */
export function createWatch(parts: WatchParts): () => Promise<void> {
  const { alerts, accounts, teams, budgetsLeft, channels, prices, health, clock } = parts
  const links = { publicUrl: parts.publicUrl.origin }
  const openSince = new Map<string, number>()

  async function report(by: readonly UsageKey[], from: number, to: number, filter: Record<string, string> = {}): Promise<UsageReportRow[]> {
    const rows: UsageReportRow[] = []
    let after: string[] | undefined
    for (let page = 0; page < mostPages; page++) {
      const asked = { from: new Date(from), to: new Date(to), by, timezone: 'UTC', filter, limit: pageRows, ...(after && { after }) }
      const { rows: found, next } = await accounts.usageReports.report(house, asked)
      rows.push(...found)
      if (next === undefined) break
      after = next
    }
    return rows
  }

  async function budgets(
    of: BudgetState['of'],
    rows: readonly { id: string; name: string; budget: Budget | null }[],
  ): Promise<BudgetState[]> {
    const limited = rows.filter(({ budget }) => budget !== null)
    const left = await budgetsLeft(limited.map(({ id, budget }) => ({ of: of === 'team' ? 'user' : of, id, budget })))
    return limited.flatMap(({ id, name, budget }, at) =>
      (['daily', 'weekly', 'monthly', 'total'] as const).flatMap((window): BudgetState[] => {
        const limit = budget?.[window]
        if (limit === undefined || limit === null) return []
        const remains = left[at]?.[window] ?? limit
        return [{ of, id, name, window, limit, left: remains, share: Number(limit) === 0 ? 1 : 1 - Number(remains) / Number(limit) }]
      }),
    )
  }

  function breakers(now: number): OpenBreaker[] {
    const names = new Map(channels.rows().map(({ id, name }) => [id, name]))
    const open = health.ailments()
    const ids = new Map(open.map((one) => [`${one.channelId}\n${one.key ?? ''}\n${one.model ?? ''}`, one]))
    for (const id of openSince.keys()) if (!ids.has(id)) openSince.delete(id)
    return [...ids].map(([id, { channelId, key, model, cause }]) => {
      const since = openSince.get(id) ?? now
      openSince.set(id, since)
      return { channel: { id: channelId, name: names.get(channelId) ?? channelId }, key, model, cause, forMs: now - since }
    })
  }

  /** The usual spend of the keys that just spent much: the mean over the hours of a week in which they spent anything. */
  async function spendOf(rows: readonly UsageReportRow[], now: number): Promise<KeySpend[]> {
    const suspects = rows.filter(({ charged, key }) => key && Number(charged) >= 1).slice(0, mostSuspects)
    const found: KeySpend[] = []
    for (const { key, charged } of suspects) {
      if (!key) continue
      const hours = await report(['hour'], now - spendMs - pastMs, now - spendMs, { key: key.id })
      const spent = hours.map((row) => Number(row.charged)).filter((usd) => usd > 0)
      const usual = spent.length === 0 ? 0 : spent.reduce((sum, usd) => sum + usd, 0) / spent.length / (3_600_000 / spendMs)
      found.push({ id: key.id, name: key.name ?? key.id, spent: Number(charged), usual })
    }
    return found
  }

  async function unpriced(now: number): Promise<string[]> {
    const offered = channels
      .rows()
      .filter(({ enabled }) => enabled)
      .flatMap(({ models }) => models)
    const without = new Set(offered.map((model) => (typeof model === 'string' ? model : model.name)).filter((name) => !prices.get(name)))
    if (without.size === 0) return []
    const { data } = await accounts.usageLog.page(house, {
      limit: mostAsked,
      from: new Date(now - 2 * minuteMs),
      conditions: { error: 'model_not_found' },
    })
    return [...new Set(data.map(({ model }) => model).filter((model) => without.has(model)))]
  }

  return async () => {
    const now = clock.now()
    const open = breakers(now)
    if (!(await alerts.hooks()).some(({ enabled }) => enabled)) return
    const [byKey, byUser, byGroup, byTeam] = await Promise.all(
      (['key', 'user', 'group', 'team'] as const).map((by) => report([by], now - lateMs, now + 1)),
    )
    const usedKeys = new Set(byKey?.map(({ key }) => key?.id))
    const usedUsers = new Set(byUser?.map(({ user }) => user?.id))
    const usedGroups = new Set(byGroup?.map(({ group }) => group))
    const usedTeams = new Set(byTeam?.flatMap(({ team }) => team?.id ?? []))
    const inTeams = budgetedInTeams(accounts.directory, usedTeams)
    const users = [...accounts.users.all()].filter(({ id }) => usedUsers.has(id))
    const states = [
      ...(await budgets(
        'key',
        accounts.keys.all().filter(({ id }) => usedKeys.has(id)),
      )),
      ...(await budgets('user', users)),
      ...(await budgets(
        'team',
        inTeams.filter(({ of }) => of === 'team'),
      )),
      ...(await budgets(
        'member',
        inTeams.filter(({ of }) => of === 'member'),
      )),
      ...(await budgets(
        'group',
        [...accounts.groups.all()].filter(({ name }) => usedGroups.has(name)).map((row) => ({ ...row, id: row.name })),
      )),
    ]
    // What a team paid is not the member's spend, and vice versa.
    const spent = await report(['team', 'user'], now - dayMs, now + 1)
    const spentByUser = new Map(spent.filter(({ team }) => !team).map(({ user, charged }) => [user?.id, charged]))
    const spentByTeam = new Map((await report(['team'], now - dayMs, now + 1)).map(({ team, charged }) => [team?.id, charged]))
    const ofTeams = await teams.rows(
      house,
      teams.seenBy(house).filter(({ id }) => usedTeams.has(id)),
    )
    const balances = await Promise.all(
      users.map(async (user) => ({
        id: user.id,
        name: user.name,
        spent: spentByUser.get(user.id) ?? '0',
        balance: (await accounts.users.row(user)).balance,
      })),
    )
    const backups = parts.backups?.()
    const justNow = await report(['key'], now - spendMs, now + 1)
    const noticed: Notice[] = [
      ...ofBudgets(states, now, links),
      ...ofBalances(balances, now, links),
      ...ofBalances(
        ofTeams.map(({ id, name, balance }) => ({ id, name, balance, spent: spentByTeam.get(id) ?? '0' })),
        now,
        links,
        'team',
      ),
      ...ofBreakers(open, now, links),
      ...ofUnpriced(await unpriced(now), now, links),
      ...ofMargins(await report(['model'], now - (now % dayMs), now + 1), now, links),
      ...ofKeySpend(await spendOf(justNow, now), now, links),
      ...ofBodies(parts.instance, parts.bodiesFault(), now, links),
      ...(backups?.isOverdue ? ofBackup(parts.instance, backups.lastAt, now, links) : []),
      ...ofJournal(parts.instance, parts.journalShare(), now, links),
    ]
    await alerts.note(noticed)
  }
}
