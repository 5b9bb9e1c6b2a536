/** Concerns, the most urgent first: shown by the overview, and available to any program. */
import type { User } from '#accounts/caller'
import { budgetedInTeams } from '#accounts/directory'
import type { PriceBook } from '#billing/pricing/price'
import { pricedOperations } from '#http/api/models'
import { withBudgetsLeft } from '#http/console/route/budgets-left'
import type { ConsoleServices } from '#http/console/route/services'
import type { ChannelRegistry } from '#routing/channels'
import type { FailedTests } from '#routing/failed-tests'
import type { Health } from '#routing/health-contract'
import type { ChannelRow } from '#shared/console/channel'
import type { Budget, BudgetLeft } from '#shared/console/limits'
import type { BudgetState, Concern } from '#shared/console/overview'
import type { UsageReportRow } from '#shared/console/usage'
import { parseUsd } from '#shared/money'

/** Sources of concerns. */
export interface Situation extends ConsoleServices {
  channels: ChannelRegistry
  prices: PriceBook
  health: Pick<Health, 'resting'>
  failedTests: Pick<FailedTests, 'all'>
}

/** Today's usage by model, what was charged, in USD, and how much of each budget is spent. */
export interface Today {
  models: readonly UsageReportRow[]
  charged: string
  budgets: readonly BudgetState[]
}

const weekMs = 7 * 86_400_000
/** The share of a budget from which it is a concern. */
const nearEnd = 0.8
/** Most concerns of one kind: nobody reads a longer list. */
const mostOfAKind = 50

/** The concerns of this user; for administrators, of all users. */
export async function concernsOf(deps: Situation, user: User, today: Today): Promise<Concern[]> {
  const { accounts, channels, health, clock } = deps
  const admin = user.role === 'admin'
  const keys = (admin ? accounts.keys.all() : accounts.keys.ownedBy(user)).map(accounts.keys.row)
  const { balance } = await accounts.users.row(user)

  const found: Concern[][] = [
    admin ? resting() : [],
    admin ? failing() : [],
    admin ? unpricedModels(deps, channels.rows()).map((model) => ({ kind: 'unpriced', model })) : [],
    today.budgets.filter(({ share }) => share >= nearEnd).map((state) => ({ kind: 'budget', ...state })),
    today.models.flatMap((row): Concern[] =>
      row.model !== undefined && row.margin?.startsWith('-') ? [{ kind: 'loses', model: row.model, margin: row.margin }] : [],
    ),
    parseUsd(today.charged) > 0n && parseUsd(balance) < parseUsd(today.charged) ? [{ kind: 'low', balance, spend: today.charged }] : [],
    keys.flatMap(({ id, name, enabled, expiresAt }): Concern[] => {
      const ms = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - clock.now()
      return enabled && expiresAt !== null && ms > 0 && ms <= weekMs ? [{ kind: 'expires', id, name, at: expiresAt }] : []
    }),
  ]
  return found.flatMap((list) => list.slice(0, mostOfAKind))

  /** Skips channels and models that were switched off or removed since. */
  function failing(): Concern[] {
    const serving = new Map(channels.rows().flatMap((row) => (row.enabled ? [[row.id, row]] : [])))
    return deps.failedTests.all().flatMap(({ channelId, model, cause, at }): Concern[] => {
      const channel = serving.get(channelId)
      if (channel === undefined || !namesOf(channel).includes(model)) return []
      return [{ kind: 'fails', channel: { id: channel.id, name: channel.name }, model, cause, at: new Date(at).toISOString() }]
    })
  }

  function resting(): Concern[] {
    const names = new Map(channels.rows().map(({ id, name }) => [id, name]))
    return health.resting().map(({ channelId, key, model, state, cause, waitMs }) => {
      const channel = { id: channelId, name: names.get(channelId) ?? channelId }
      return { kind: 'rest', channel, key, model, state, cause, retryInMs: Math.round(waitMs) }
    })
  }
}

/** Models of enabled channels that cannot be called, because they have no price, or one that covers none of their operations. */
export function unpricedModels(
  { prices, channels: registry }: Pick<Situation, 'prices' | 'channels'>,
  channels: readonly ChannelRow[],
): string[] {
  const offered = channels.filter(({ enabled }) => enabled).flatMap(({ models }) => models)
  const names = new Set(offered.map((model) => (typeof model === 'string' ? model : model.name)))
  const on = [...registry.all()].filter(({ enabled }) => enabled)
  const offering = (name: string) => on.filter(({ models }) => models.has(name))
  return [...names].filter((name) => pricedOperations(prices.get(name), name, offering(name)).length === 0).sort()
}

/** The models that a channel offers. */
const namesOf = ({ models }: ChannelRow) => models.map((model) => (typeof model === 'string' ? model : model.name))

interface Budgeted {
  id: string
  name: string
  budget: Budget | null
  budgetLeft?: BudgetLeft
}

/**
 * For each budget, the window with the largest share spent: of groups, teams, members, users and keys for administrators, else of own keys.
 */
export async function budgetStates(deps: Situation, user: User): Promise<BudgetState[]> {
  const { accounts } = deps
  const admin = user.role === 'admin'
  const keys = (admin ? accounts.keys.all() : accounts.keys.ownedBy(user)).map(accounts.keys.row)
  const users = admin ? [...accounts.users.all()] : []
  const groups = admin ? [...accounts.groups.all()].map((row) => ({ ...row, id: row.name })) : []
  const inTeams = admin ? budgetedInTeams(accounts.directory) : []
  const ofTeams = (of: 'team' | 'member') =>
    states(
      deps,
      of,
      inTeams.filter((one) => one.of === of),
    )
  return [
    ...(await states(deps, 'group', groups)),
    ...(await ofTeams('team')),
    ...(await ofTeams('member')),
    ...(await states(deps, 'user', users)),
    ...(await states(deps, 'key', keys)),
  ]
}

async function states({ budgetsLeft }: Situation, of: BudgetState['of'], rows: readonly Budgeted[]): Promise<BudgetState[]> {
  const limited = rows.filter(({ budget }) => budget !== null)
  const known = await withBudgetsLeft(budgetsLeft, of === 'team' ? 'user' : of, ({ id }) => id, limited)
  return known.flatMap((row): BudgetState[] => {
    const near = tightest(row)
    return near === undefined ? [] : [{ of, id: row.id, name: row.name, ...near }]
  })
}

const windows = ['daily', 'weekly', 'monthly', 'total'] as const

/** The window with the largest share spent. */
function tightest({ budget, budgetLeft }: Budgeted) {
  const found = windows.flatMap((window) => {
    const limit = budget?.[window]
    if (limit === undefined) return []
    const left = budgetLeft?.[window] ?? limit
    return [{ window, limit, left, share: Number(limit) === 0 ? 1 : 1 - Number(left) / Number(limit) }]
  })
  return found.toSorted((a, b) => b.share - a.share)[0]
}
