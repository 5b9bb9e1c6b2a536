/** `GET /v1/key` and `GET /v1/key/usage`: what the holder of an API key may see of it. Shown by the page `/key`. */
import type { Caller, Sender } from '#accounts/caller'
import { createThrottle } from '#accounts/guard/throttle'
import type { UsageReports } from '#accounts/usage'
import type { BudgetsLeft, WindowsLeft } from '#billing/ledger/budgets-left'
import type { PriceBook } from '#billing/pricing/price'
import { jsonText } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import type { Channels } from '#routing/channel'
import type { Clock } from '#runtime/clock'
import type { KeyFacts, KeyUsage } from '#shared/console/key'
import { GatewayError } from '#shared/errors'
import { parseUsd } from '#shared/money'
import { pricedOperations } from './models.ts'
import { admit } from './relay-route.ts'

/** Dependencies. */
export interface KeyServices {
  accounts: { admitKey(secret: string, from: Sender): Caller; usageReports: UsageReports }
  channels: Channels
  prices: PriceBook
  budgetsLeft: BudgetsLeft
  windowsLeft: WindowsLeft
  clock: Clock
  /** Resolves when requests answered so far can be read. */
  answered(): Promise<void>
}

/** Milliseconds for which an answer is cached: the lifetime sum of a key must not be queried in a loop. */
const keepMs = 1_000
/** Most milliseconds that a reader waits for requests that were just answered. */
const answeredMs = 1_000
/** Size of the cache. */
const mostKept = 1_000
/** Days of usage in the answer, including today. */
const daysListed = 30
const dayMs = 86_400_000
const mostModels = 200

/** `GET /v1/key`, `GET /v1/key/usage`. */
export function keyFactRoutes(services: KeyServices): Route[] {
  const guesses = createThrottle(services.clock, 'with API keys')
  let attempts = 0

  /** The caller. Many wrong keys from one address are throttled. Throws `too_many_attempts` too. */
  async function holder(visit: Visit): Promise<Caller> {
    const attempt = await guesses.attempt(String(++attempts), visit.clientAddress, async () => false)
    try {
      const caller = admit(services, visit)
      attempt.undecided()
      return caller
    } catch (thrown) {
      if (!(thrown instanceof GatewayError && thrown.code === 'invalid_api_key')) attempt.undecided()
      throw thrown
    }
  }

  const facts = keptFor(services.clock, (caller) => readFacts(services, caller))
  const usage = keptFor(services.clock, (caller) => readUsage(services, caller))
  return [
    {
      method: 'GET',
      path: '/v1/key',
      envelope: 'chat',
      handle: async (visit) => jsonText(JSON.stringify(await facts(await holder(visit)))),
    },
    {
      method: 'GET',
      path: '/v1/key/usage',
      envelope: 'chat',
      handle: async (visit) => jsonText(JSON.stringify(await usage(await holder(visit)))),
    },
  ]
}

/** Caches what was read for a key for a second. */
function keptFor<Read>(clock: Clock, read: (caller: Caller) => Promise<Read>): (caller: Caller) => Promise<Read> {
  const kept = new Map<string, { at: number; answer: Promise<Read> }>()
  return (caller) => {
    const id = caller.key?.id ?? ''
    const known = kept.get(id)
    if (known && clock.monotonic() - known.at < keepMs) return known.answer
    if (kept.size >= mostKept) kept.clear()
    const answer = read(caller)
    kept.set(id, { at: clock.monotonic(), answer })
    answer.catch(() => kept.delete(id))
    return answer
  }
}

async function settled({ answered, clock }: KeyServices): Promise<void> {
  const waited = new AbortController()
  await Promise.race([answered(), clock.sleep(answeredMs, waited.signal).catch(() => undefined)])
  waited.abort()
}

async function readFacts(services: KeyServices, { key, user, group, models }: Caller): Promise<KeyFacts> {
  const { accounts, channels, prices, budgetsLeft, clock } = services
  if (key === null) throw new GatewayError('invalid_api_key', 'The API key is missing or not valid.')
  await settled(services)
  const question = { from: key.createdAt, to: new Date(clock.now() + 1), by: [], timezone: 'UTC', filter: { key: key.id }, limit: 1 }
  const [{ rows }, [left]] = await Promise.all([
    accounts.usageReports.report(user, question),
    budgetsLeft([{ of: 'key', id: key.id, budget: key.budget }]),
  ])
  return {
    name: key.name,
    group: group.name,
    models: channels
      .modelsOf(group.name)
      .filter(
        (model) =>
          pricedOperations(prices.get(model), model, channels.offering(group.name, model)).length > 0 &&
          (models === null || models.has(model)),
      )
      .sort(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    spent: rows[0]?.charged ?? '0',
    budgetLeft: left ?? null,
    limits: key.limits,
  }
}

async function readUsage(services: KeyServices, { key, user }: Caller): Promise<KeyUsage> {
  const { accounts, windowsLeft, clock } = services
  if (key === null) throw new GatewayError('invalid_api_key', 'The API key is missing or not valid.')
  await settled(services)
  const today = Math.floor(clock.now() / dayMs) * dayMs
  const span = { from: new Date(today - (daysListed - 1) * dayMs), to: new Date(clock.now() + 1), timezone: 'UTC', filter: { key: key.id } }
  // Sequential: a reader takes only one place of the report queue.
  const days = await accounts.usageReports.report(user, { ...span, by: ['day'], limit: daysListed })
  const models = await accounts.usageReports.report(user, { ...span, by: ['model'], limit: mostModels })
  return {
    budgets: await windowsLeft({ of: 'key', id: key.id, budget: key.budget }),
    days: days.rows.map(({ day = '', requests, charged }) => ({ day, requests, charged })).toSorted((a, b) => (a.day < b.day ? -1 : 1)),
    models: models.rows
      .map(({ model = '', requests, charged }) => ({ model, requests, charged }))
      .toSorted((a, b) => (parseUsd(a.charged) < parseUsd(b.charged) ? 1 : -1)),
  }
}
