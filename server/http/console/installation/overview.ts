/** The overview in one call: today against last week, or some days against those before, what needs attention, the first steps. */
import type { User } from '#accounts/caller'
import type { AskedUsage } from '#accounts/usage'
import { type Asker, consoleRoute } from '#http/console/route/console-route'
import { readOne, readTimezone } from '#http/console/route/one-value'
import { readFilter, usageFilters } from '#http/console/route/usage-filter'
import type { Route } from '#http/request/route'
import type { Overview } from '#shared/console/overview'
import type { UsageKey, UsageReportRow, UsageTotals } from '#shared/console/usage'
import { GatewayError } from '#shared/errors'
import { budgetStates, concernsOf, type Situation, unpricedModels } from './concerns.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
/** Most rows of a report: no installation has more models or keys in use. */
const mostRows = 200_000
const topRows = 5
/** Supported numbers of days. */
const ranges = [1, 7, 30]

/** `GET /api/overview`. */
export function overviewRoutes(deps: Situation): Route[] {
  return [
    consoleRoute(deps, {
      method: 'GET',
      path: '/api/overview',
      who: 'session',
      scope: 'read',
      query: ['timezone', 'days', ...usageFilters],
      async handle({ user, query }) {
        const timezone = readTimezone(query)
        const days = Number(readOne(query, 'days') ?? '1')
        if (!ranges.includes(days)) throw new GatewayError('invalid_value', 'days: expected 1, 7 or 30.', { param: 'days' })
        return { body: await overviewOf(deps, user, { timezone, days, filter: readFilter(query) }) }
      },
    }),
  ]
}

interface Asked {
  timezone: string
  /** The number of days, including today. One day is shown by the hour, more by the day. */
  days: number
  /** Filter of the figures; concerns and budgets ignore it. */
  filter: ReturnType<typeof readFilter>
}

async function overviewOf(deps: Situation, user: Asker, { timezone, days, filter }: Asked): Promise<Overview> {
  const { accounts, clock } = deps
  const now = clock.now()
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone)
  const midnight = today.startOfDay()
  const first = midnight.subtract({ days: days - 1 })
  const step = days === 1 ? 'hour' : 'day'
  // One day is compared with the same day of last week, more with as many days before.
  const back = { days: days === 1 ? 7 : days }
  const [from, then] = [first.epochMilliseconds, first.subtract(back).epochMilliseconds]
  const thenEnd = days === 1 ? midnight.subtract({ days: 6 }).epochMilliseconds : from

  const report = async (
    by: readonly UsageKey[],
    start: number,
    end: number,
    of = filter,
    only?: AskedUsage['only'],
  ): Promise<UsageReportRow[]> => {
    const question = {
      from: new Date(start),
      to: new Date(Math.max(end, start + 1)),
      by,
      timezone,
      filter: of,
      ...(only && { only }),
      limit: mostRows,
    }
    return (await accounts.usageReports.report(user, question)).rows
  }
  const total = async (start: number, end: number, of = filter): Promise<UsageTotals> => {
    const [row] = await report([], start, end, of)
    return row ?? nothing(user)
  }
  const end = now + 1
  const [sums, before, hours, hoursBefore, models, keys] = await Promise.all([
    total(from, end),
    total(then, today.subtract(back).epochMilliseconds),
    report([step], from, end),
    report([step], then, thenEnd),
    report(['model'], from, end),
    report(['key'], from, end),
  ])
  const topModels = top(models)
  const named = topModels.flatMap(({ model }) => model ?? [])
  const hoursByModel = named.length === 0 ? [] : await report([step, 'model'], from, end, filter, { models: named })
  // Concerns are always about today and all users, whatever is shown.
  const isAll = days === 1 && Object.keys(filter).length === 0
  const charged = isAll ? sums.charged : (await total(midnight.epochMilliseconds, end, {})).charged
  const modelsToday = isAll ? models : await report(['model'], midnight.epochMilliseconds, end, {})
  const states = await budgetStates(deps, user)
  return {
    at: new Date(now).toISOString(),
    timezone,
    days,
    now: sums,
    before,
    steps:
      days === 1
        ? Array.from({ length: Math.floor((now - from) / hourMs) + 1 }, (_, hour) => new Date(from + hour * hourMs).toISOString())
        : Array.from({ length: days }, (_, day) => first.add({ days: day }).toPlainDate().toString()),
    hours,
    hoursBefore,
    hoursByModel,
    models: topModels,
    keys: top(keys),
    budgets: states.toSorted((a, b) => b.share - a.share).slice(0, topRows),
    attention: await concernsOf(deps, user, { models: modelsToday, charged, budgets: states }),
    first: {
      ...setupStateOf(deps, user),
      key: accounts.keys.ownedBy(user).length > 0 || (user.role === 'admin' && accounts.keys.all().length > 0),
      request: sums.requests > 0 || before.requests > 0 || (await hasRequests(deps, user, now)),
    },
  }
}

/** Whether there is a real channel, and a price for one of its models; null for users who cannot create them. */
function setupStateOf(deps: Situation, { role }: User): Pick<Overview['first'], 'channel' | 'price'> {
  if (role !== 'admin') return { channel: null, price: null }
  const real = deps.channels.rows().filter(({ vendor }) => vendor !== 'demo')
  const offered = new Set(real.flatMap(({ models }) => models.map((model) => (typeof model === 'string' ? model : model.name))))
  return { channel: real.length > 0, price: offered.size > 0 && unpricedModels(deps, real).length < offered.size }
}

const top = (rows: readonly UsageReportRow[]) => rows.toSorted((a, b) => Number(b.charged) - Number(a.charged)).slice(0, topRows)

/** The sums of no requests. */
const nothing = ({ role }: User): UsageTotals => ({
  ...{ requests: 0, errors: 0, cost: '0', charged: '0' },
  tokens: {
    in: { fresh: 0, cacheRead: 0, cacheWrite: 0, audio: 0, image: 0 },
    out: { total: 0, reasoning: 0, audio: 0, image: 0 },
  },
  units: { images: 0, seconds: 0, characters: 0, searches: 0 },
  latency: { total: null, firstToken: null },
  ...(role === 'admin' && { upstreamCost: null, margin: null }),
})

/** Whether there was a request within the year. */
async function hasRequests({ accounts }: Situation, user: User, now: number): Promise<boolean> {
  const { data } = await accounts.usageLog.page(user, { limit: 1, from: new Date(now - 366 * dayMs) })
  return data.length > 0
}
