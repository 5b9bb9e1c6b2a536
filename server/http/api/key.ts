/** `GET /v1/key`: what the holder of an API key may know of it. The page `/key` shows it. */
import type { Caller } from '#accounts/caller'
import type { UsageReports } from '#accounts/usage'
import type { BudgetsLeft } from '#billing/ledger/budgets-left'
import type { PriceBook } from '#billing/pricing/price'
import { jsonText } from '#http/request/respond'
import type { Route, Visit } from '#http/request/route'
import type { Channels } from '#routing/channel'
import type { Clock } from '#runtime/clock'
import type { KeyFacts } from '#shared/console/key'
import { GatewayError } from '#shared/errors'
import { admit } from './relay-route.ts'

/** What the route needs from the program. */
export interface KeyServices {
  accounts: { admitKey(secret: string, address: string): Caller; usageReports: UsageReports }
  channels: Channels
  prices: PriceBook
  budgetsLeft: BudgetsLeft
  clock: Clock
  /** Resolves when what has been answered so far can be read. */
  answered(): Promise<void>
}

/** Milliseconds for which an answer is repeated: the sum of a key's whole life must not be asked for in a loop. */
const keepMs = 1_000
/** Milliseconds that a reader waits at most for what was answered just now. */
const answeredMs = 1_000
/** Most answers that are kept. */
const mostKept = 1_000

/** `GET /v1/key`. */
export function keyFactRoutes(services: KeyServices): Route[] {
  const { clock } = services
  const kept = new Map<string, { at: number; facts: Promise<KeyFacts> }>()

  function factsOf(caller: Caller): Promise<KeyFacts> {
    const id = caller.key?.id ?? ''
    const known = kept.get(id)
    if (known && clock.monotonic() - known.at < keepMs) return known.facts
    if (kept.size >= mostKept) kept.clear()
    const facts = read(services, caller)
    kept.set(id, { at: clock.monotonic(), facts })
    facts.catch(() => kept.delete(id))
    return facts
  }

  const handle = async (visit: Visit) => jsonText(JSON.stringify(await factsOf(admit(services, visit))))
  return [{ method: 'GET', path: '/v1/key', envelope: 'chat', handle }]
}

async function read(
  { accounts, channels, prices, budgetsLeft, clock, answered }: KeyServices,
  { key, user, group, models }: Caller,
): Promise<KeyFacts> {
  if (key === null) throw new GatewayError('invalid_api_key', 'The API key is missing or not valid.')
  const waited = new AbortController()
  await Promise.race([answered(), clock.sleep(answeredMs, waited.signal).catch(() => undefined)])
  waited.abort()
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
      .filter((model) => prices.get(model) !== undefined && (models === null || models.has(model)))
      .sort(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    spent: rows[0]?.charged ?? '0',
    budgetLeft: left ?? null,
    limits: key.limits,
  }
}
