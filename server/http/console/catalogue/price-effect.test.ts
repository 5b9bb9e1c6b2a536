/** What a price would have charged, asked with real requests over real rows: to the nano-dollar where each request is priced by itself. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAccounts } from '#accounts/accounts'
import { createBudgetsLeft } from '#billing/ledger/budgets-left'
import { cost } from '#billing/pricing/cost'
import { createPriceTrials } from '#billing/pricing/price-trials'
import { createPrices } from '#billing/pricing/prices'
import { resolveRates } from '#billing/pricing/rates'
import { noUsage, type Usage } from '#canonical/usage'
import { setupRoutes } from '#http/console/installation/setup'
import type { ConsoleServices } from '#http/console/route/services'
import { systemRandom } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { PriceEffect, PriceFields } from '#shared/console/price'
import { house } from '#shared/ids'
import { formatRatio, formatUsd } from '#shared/money'
import { sampledEngines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { handClock } from '#testing/hand-clock'
import { noBodies } from '#testing/no-bodies'
import { seeded } from '#testing/seeded'
import { insertLogs, insertPackedLogs, usageRow } from '#testing/usage-row'
import { type Visitor, visitor } from '#testing/visits'
import { priceEffectRoutes } from './price-effect.ts'

type NewLog = ReturnType<typeof usageRow>

const now = Date.parse('2026-03-31T09:20:00Z')
const hourMs = 3_600_000
const ago = (hours: number) => new Date(now - hours * hourMs)
const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
const administrator = { kind: 'user', id: 'root', name: 'root', requestId: 'req_0', role: 'admin' } as never

const present: PriceFields = {
  ...{ input: '1', output: '2', cacheRead: '0.1', request: '0.0003' },
  tiers: [{ above: 1_000, input: '1.7', output: '3' }],
  factors: { service_tier: { priority: '2', flex: '0.5' } },
}
const tried: PriceFields = {
  ...{ input: '1.000000001', output: '2.3', request: '0.0001' },
  tiers: [
    { above: 1_000, input: '1.9' },
    { above: 20_000, input: '4', output: '9.000000007' },
  ],
  factors: { service_tier: { priority: '1.75' }, speed: { fast: '6' }, inference_geo: { us: '1.1' } },
}

/** Requests of every tier and with all factors, of groups with odd ratios, over the whole week. */
function rowsOf(model: string, count: number): NewLog[] {
  const fraction = seeded(20_261_128).below
  const pick = <T>(values: readonly T[]): T => values[fraction(values.length)] as T
  return Array.from({ length: count }, (_, n) => {
    const usage: Usage = { ...noUsage(), provenance: 'provider' }
    usage.in.fresh = pick([fraction(900), 1_000, 1_001, fraction(19_000), 20_000, 20_001, fraction(90_000)])
    usage.in.cacheRead = pick([0, 0, fraction(5_000)])
    usage.out = { ...usage.out, total: fraction(4_000), reasoning: fraction(300) }
    const servedAs = {
      ...(fraction(2) && { service_tier: pick(['priority', 'flex']) }),
      ...(fraction(3) === 0 && { speed: 'fast' }),
      ...(fraction(3) === 0 && { inference_geo: 'us' }),
    }
    if (Object.keys(servedAs).length > 0) usage.servedAs = servedAs
    const ratio = BigInt(pick([1_000_000, 800_000, 333_333]))
    return usageRow({
      ...{ requestId: `req_${model}_${n}`, userId: pick(['u', 'v']), group: pick(['default', 'half']), model },
      ...{ at: new Date(now - fraction(166 * hourMs)), usage, cost: cost(usage, resolveRates(present), ratio) },
      price: { ...present, ratio: formatRatio(ratio) },
    })
  })
}

/** Adds up what billing says of each row. */
const billed = (rows: readonly NewLog[], fields: PriceFields) =>
  formatUsd(
    rows.reduce((all, { usage, price }) => {
      const millionths = BigInt(Math.round(Number(price?.ratio ?? 0) * 1e6))
      return usage ? all + cost(usage, resolveRates(fields), millionths) : all
    }, 0n),
  )

describe.each(sampledEngines(import.meta.file))('on %s', (engine) => {
  let base: Throwaway
  let cookie: string
  /** Where at most so many requests are priced one by one. */
  let asks: (mostTried?: number, trials?: ReturnType<typeof createPriceTrials>) => Visitor
  const rows = rowsOf('mixed', 1_300)
  const packed = rowsOf('mixed', 200).map((row) => ({ ...row, requestId: `${row.requestId}_packed` }))

  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    const { store } = base
    const clock = handClock(now)
    const accounts = await createAccounts({ store, clock, random: systemRandom })
    const prices = await createPrices({ store, log, demo: () => false })
    for (const model of ['mixed', 'pruned', 'checked']) await prices.put(administrator, model, present)
    const services: ConsoleServices = {
      ...{
        accounts,
        budgetsLeft: createBudgetsLeft({ store, clock }),
        bodies: noBodies,
        clock,
        publicUrl: new URL('http://127.0.0.1:3000'),
      },
      ...{ answered: async () => undefined, version: '1.2.3', demo: () => true, banner: () => null },
      config: () => ({ state: 'ok', message: null, at: '2026-01-01T00:00:00.000Z' }),
    }
    asks = (mostTried, trials = createPriceTrials({ store, clock })) =>
      visitor(
        [setupRoutes(services), priceEffectRoutes({ ...services, prices, trials, ...(mostTried !== undefined && { mostTried }) })].flat(),
        'http://127.0.0.1:3000',
      )
    const set = { token: accounts.setupToken, name: 'root', password: 'correct horse' }
    cookie = (await asks()('POST', '/api/setup', { body: set })).headers.get('set-cookie')?.split(';')[0] ?? ''
    await insertLogs(store, rows)
    await insertPackedLogs(store, packed)
    // The first trial loads its code into the worker, which takes longer than all tests together.
    await effect('mixed', present)
  }, 60_000)
  afterAll(() => base.close())

  const effect = async (model: string, fields: PriceFields, ask = asks()): Promise<PriceEffect> => {
    const { status, body } = await ask('POST', '/api/prices/effect', { cookie, body: { prices: { [model]: fields } } })
    expect(status).toBe(200)
    return body.data[0]
  }

  test('tiers, factors and ratios: each request as billing prices it', async () => {
    // Neither is of the model and the week.
    await insertLogs(base.store, [
      { ...rowsOf('mixed', 1)[0], requestId: 'req_old', at: ago(24 * 8) } as NewLog,
      { ...rowsOf('mixed', 1)[0], requestId: 'req_other', model: 'other' } as NewLog,
    ])
    const all = [...rows, ...packed]
    const known = formatUsd(all.reduce((sum, one) => sum + one.cost, 0n))
    const found = await effect('mixed', tried)
    expect(found).toEqual({
      ...{ model: 'mixed', requests: 1_500, basis: 'requests', sessions: 0 },
      ...{ before: known, after: billed(all, tried), cost: known },
    })
    expect(found.before).toBe(billed(all, present))
    // Without them it is another amount.
    const { tiers, factors, ...plain } = tried
    const amounts = await Promise.all(
      [plain, { ...plain, tiers }, { ...plain, factors }].map((fields) => effect('mixed', fields as PriceFields)),
    )
    expect(new Set([found, ...amounts].map(({ after }) => after)).size).toBe(4)
    expect(amounts[1]?.after).toBe(billed(all, { ...plain, ...(tiers && { tiers }) }))
  })

  test('more requests than are priced one by one: both amounts are estimated, and it says so', async () => {
    const exact = await effect('mixed', tried, asks(1_500))
    expect(exact.basis).toBe('requests')
    const about = await effect('mixed', tried, asks(1_499))
    expect(about).toMatchObject({ requests: 1_500, basis: 'sums', cost: exact.cost })
    // As the sums of two groups at their ratios of today, without tiers and factors.
    const { tiers: _, factors: __, ...plain } = present
    const same = await effect('mixed', plain, asks(1_499))
    expect(same.after).toBe(same.before ?? '')
    expect(about.after).not.toBe(exact.after)
    // Two models share what is left; the one that does not fit is estimated.
    const { body } = await asks(1_500)('POST', '/api/prices/effect', { cookie, body: { prices: { other: tried, mixed: tried } } })
    expect(body.data.map(({ basis }: PriceEffect) => basis)).toEqual(['requests', 'sums'])
  })

  test('what is not ready in time is estimated without waiting', async () => {
    const never = { run: async () => undefined }
    expect(await effect('mixed', tried, asks(20_000, never))).toMatchObject({ requests: 1_500, basis: 'sums' })
    const clock = handClock(now)
    const trials = createPriceTrials({ store: base.store, clock })
    const order = { model: 'mixed', present, tried, hours: [{ hour: now, requests: 1 }] }
    expect(await trials.run(order, clock.monotonic(), new AbortController().signal)).toBeUndefined()
    await expect(trials.run(order, clock.monotonic() + 5_000, AbortSignal.abort())).rejects.toMatchObject({ code: 'client_closed_request' })
  })

  test('requests whose rows are gone are in the sums only', async () => {
    const rows = rowsOf('pruned', 40)
    await insertLogs(base.store, rows)
    expect(await effect('pruned', tried)).toMatchObject({ requests: 40, basis: 'requests' })
    const hour = `timestamptz '2026-03-29T00:00:00Z'`
    await runSql(base.store, `delete from logs where model = 'pruned' and at >= ${hour} and at < ${hour} + interval '1 hour'`)
    await runSql(base.store, `delete from usage_marks where hour = ${hour}`)
    await runSql(
      base.store,
      `insert into usage_hours (hour, user_id, key_id, "group", model, channel, requests, errors, fresh, cache_read, cache_write, audio_in, image_in,
        output, reasoning, audio_out, image_out, images, seconds, characters, searches, cost, charged, total_ms, first_token_ms)
      values (${hour}, 'u', '', 'default', 'pruned', '', 7, 0, 7000, 0, 0, 0, 0, 700, 0, 0, 0, 0, 0, 0, 0, 5, 5, '{}', '{}')`,
    )
    expect((await effect('pruned', tried)).basis).toBe('sums')
  })

  test('what nobody pays, what a fallback answered, refusals and sessions', async () => {
    const usage: Usage = { ...noUsage(), in: { ...noUsage().in, fresh: 30_000 } }
    const price = { ...present, ratio: '1' }
    const row = (requestId: string, more: Partial<NewLog>) =>
      usageRow({ ...{ requestId, userId: 'u', model: 'checked', at: ago(3) }, ...more })
    const attempt = { channel: 'c', key: null, phase: 'done', status: 200, cause: null, ms: 1 } as const
    await insertLogs(base.store, [
      row('req_check', { userId: house.id, usage }),
      row('req_fallback', {
        usage,
        price,
        cost: 77n,
        attempts: [
          { ...attempt, phase: 'first-event' },
          { ...attempt, model: 'dearer' },
        ],
      }),
      row('req_refused', { status: 429, end: 'error', error: { code: 'rate_limited', message: 'Later.', count: 3 } }),
      row('req_session', { usage, price, cost: 1_000n, lines: [{ unit: 'input', amount: 30_000, price: '1', per: 1_000_000 }] }),
    ])
    const whole = resolveRates({ ...tried, tiers: [] })
    expect(await effect('checked', tried)).toEqual({
      ...{ model: 'checked', requests: 5, basis: 'requests', sessions: 1, cost: '0.000001077' },
      before: formatUsd(77n + cost(usage, resolveRates({ ...present, tiers: [] }), 1_000_000n)),
      after: formatUsd(77n + cost(usage, whole, 1_000_000n)),
    })
    // Estimated: neither the check nor the refused requests cost anything by the piece.
    const about = await effect('checked', { request: '1' }, asks(0))
    expect(about).toMatchObject({ requests: 5, basis: 'sums', after: '2' })
  })
})
