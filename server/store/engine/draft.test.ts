import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock, systemRandom } from '#runtime/clock'
import { loadPrice, loadPrices, type PriceRecord, putPrices } from '#store/channels/prices'
import { engines, type Throwaway, throwawayDatabase } from '#testing/database/database'
import { atomically } from './atomic.ts'
import { inDraft } from './draft.ts'
import { type Mirror, mirror } from './mirror.ts'
import { openStore } from './open.ts'
import type { Store } from './store.ts'

const row = (model: string): PriceRecord => ({ model, price: { input: '1' }, managed: 'file', enabled: true, changedAt: null })
const pricesIn = (store: Store) =>
  mirror<PriceRecord>(store, {
    table: 'prices',
    id: ({ model }) => model,
    loadAll: () => loadPrices(store),
    load: (id) => loadPrice(store, id),
  })

describe.each([...engines])('a draft on %s', (engine) => {
  let base: Throwaway
  let outside: Mirror<PriceRecord>
  beforeAll(async () => {
    base = await throwawayDatabase(engine)
    outside = await pricesIn(base.store)
  }, 60_000)
  afterAll(() => base.close())

  test('sees what it has written, others only when all of it is there', async () => {
    const before = await inDraft(base.store, systemClock, async (draft) => {
      const inside = await pricesIn(draft)
      await putPrices(draft, [row('a')])
      await atomically(draft, (store) => putPrices(store, [row('b')]))
      expect([inside.get('a')?.model, inside.get('b')?.model]).toEqual(['a', 'b'])
      return [...outside.all()].length
    })
    expect(before).toBe(0)
    expect([...outside.all()].map(({ model }) => model).sort()).toEqual(['a', 'b'])
  })

  test('writes nothing when it fails, whatever was written before', async () => {
    const work = inDraft(base.store, systemClock, async (draft) => {
      await putPrices(draft, [row('c')])
      throw new Error('no')
    })
    expect(await work.catch((thrown: Error) => thrown.message)).toBe('no')
    expect([(await loadPrice(base.store, 'c')) === undefined, outside.get('c') === undefined]).toEqual([true, true])
  })

  test('many changed rows of a table are announced as one change', async () => {
    const heard: (string | undefined)[] = []
    base.store.changes.subscribe('prices', async (id) => void heard.push(id))
    const names = Array.from({ length: 60 }, (_, number) => `many-${number}`)
    await inDraft(base.store, systemClock, async (draft) => {
      for (const name of names) await putPrices(draft, [row(name)])
    })
    expect(heard).toEqual([undefined])
    expect(names.every((name) => outside.get(name) !== undefined)).toBe(true)
  })

  if (engine === 'postgres') {
    test('another instance is notified of many rows and reads them all', async () => {
      const other = await openBeside(base)
      const there = await pricesIn(other.store)
      await inDraft(base.store, systemClock, async (draft) => {
        for (let number = 0; number < 60; number++) await putPrices(draft, [row(`more-${number}`)])
      })
      for (let tries = 0; tries < 200 && there.get('more-59') === undefined; tries++) await systemClock.sleep(20)
      expect(there.get('more-59')?.model).toBe('more-59')
      await other.close()
    }, 30_000)
  }
})

async function openBeside({ databaseUrl = '' }: Throwaway): Promise<{ store: Store; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'))
  const store = await openStore({ databaseUrl, dataFolder: folder, clock: systemClock, random: systemRandom })
  return { store, close: () => store.close().finally(() => rm(folder, { recursive: true, force: true })) }
}
