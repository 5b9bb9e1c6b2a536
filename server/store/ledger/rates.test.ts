/** The function of the database against the same thing in memory, and what only a database can get wrong. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { createRateModel } from '#testing/books/limit-model'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { seeded } from '#testing/seeded'
import { isFenced } from './leases.ts'
import { forgetRateHolder, type RateAsk, type RateCall, sweepRates, syncRates } from './rates.ts'

const plain = { need: 0, claim: 0, ahead: 0, burn: 0, back: {} }
const call = (holder: string, seq: number, ...asks: RateAsk[]): RateCall => ({ holder, seq, asks, writeOffMs: 30_000, trusting: true })

describe.each([...engines])('shared limits on %s', (engine) => {
  let base: Throwaway
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
  }, 60_000)
  afterAll(() => base.close())

  test('answers like the model, whatever is asked and however the clock goes', async () => {
    const random = seeded(11)
    const model = createRateModel()
    let at = Date.UTC(2026, 0, 1)
    for (let seq = 1; seq <= 400; seq++) {
      at += random.pick([1, 40, 300, 2_500, 5_000, random.below(80_000), -random.below(20_000)])
      const slot = Math.floor(at / 5000)
      const ids = ['a', 'b', 'c', 'd'].filter(() => random.fraction() < 0.6)
      const asks = ids.map((id, index): RateAsk => {
        const need = random.below(6)
        const amounts = { id, cap: 5 + random.below(30), need, claim: random.below(12), ahead: random.below(20) }
        if (index % 2 === 0) return { ...amounts, keep: random.below(8), burn: 0, back: {} }
        return { ...amounts, burn: random.pick([0, 0, 3]), back: random.pick([{}, { [slot - random.below(16)]: random.below(5) }]) }
      })
      // A limit is either of a minute or of places.
      const sent = asks.map((ask) => ({ ...ask, id: `${ask.keep === undefined ? 'minute' : 'places'}:${ask.id}` }))
      const made = { ...call(random.pick(['x', 'y', 'z']), seq, ...sent), trusting: random.fraction() < 0.7 }
      expect([seq, await syncRates(base.store, made, new Date(at))]).toEqual([seq, model.sync(made, at)])
    }
  }, 60_000)

  test('a call that comes after a later one is refused, and changes nothing', async () => {
    const ask = { ...plain, id: 'late', cap: 10, need: 2 }
    await syncRates(base.store, call('late', 5, ask))
    for (const seq of [4, 5]) {
      const thrown = await syncRates(base.store, call('late', seq, ask)).then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(isFenced(thrown)).toBe(true)
    }
    const answer = (await syncRates(base.store, call('late', 6, { ...ask, need: 0 }))).get('late')
    expect(answer?.ring[0]).toBe(2)
  })

  test('the places of a holder that ends are free at once', async () => {
    const ask = { ...plain, id: 'ended', cap: 3, keep: 0, need: 3 }
    await syncRates(base.store, call('first', 1, ask))
    expect((await syncRates(base.store, call('second', 1, ask))).get('ended')?.got).toBe(0)
    await forgetRateHolder(base.store, 'first')
    expect((await syncRates(base.store, call('second', 2, ask))).get('ended')?.got).toBe(3)
  })

  test('what nobody has used for an hour is forgotten, places that are held are not', async () => {
    const old = new Date(Date.now() - 2 * 3_600_000)
    await syncRates(base.store, call('gone', 1, { ...plain, id: 'old:minute', cap: 3, need: 1 }), old)
    await syncRates(base.store, call('lasting', 1, { ...plain, id: 'old:places', cap: 3, keep: 0, need: 1 }), old)
    await syncRates(base.store, call('lasting', 2))
    await sweepRates(base.store)
    const ids = await base.store.db.execute(
      sql`select id from rates where id like 'old:%' union all select id from rate_holders where id = 'gone'`,
    )
    expect(JSON.stringify(ids)).toContain('old:places')
    expect(JSON.stringify(ids)).not.toMatch(/old:minute|gone/)
  })
})

test.if(engines.includes('postgres'))(
  'sixteen take as fast as they can, in any order of names: the limit exactly, and no deadlock',
  async () => {
    const base = await throwawayDatabase('postgres')
    try {
      const ids = ['r1', 'r2', 'r3', 'r4']
      const got = new Map(ids.map((id) => [id, 0]))
      const at = new Date()
      const random = seeded(3)
      async function lane(holder: string): Promise<void> {
        for (let seq = 1; seq <= 60; seq++) {
          const some = ids.filter(() => random.fraction() < 0.7).sort(() => random.fraction() - 0.5)
          const asks = some.map((id) => ({ ...plain, id, cap: 1000, need: 1, claim: 1 + random.below(3) }))
          for (const answer of (await syncRates(base.store, call(holder, seq, ...asks), at)).values()) {
            got.set(answer.id, (got.get(answer.id) ?? 0) + answer.got)
          }
        }
      }
      await Promise.all(Array.from({ length: 16 }, (_, n) => lane(`lane ${n}`)))
      expect([...got.values()]).toEqual([1000, 1000, 1000, 1000])
    } finally {
      await base.close()
    }
  },
  60_000,
)
