/**
 * A data folder that was copied, or moved away from a live process: it is not taken over while that process calls, and the real end of a
 * request that was taken over as interrupted replaces its row, once.
 */
import { afterEach, describe, expect, test } from 'bun:test'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, systemClock as clock, systemRandom as random } from '#runtime/clock'
import { placeOf } from '#runtime/place'
import { openStore } from '#store/engine/open'
import { unsettledAmong } from '#store/ledger/interrupted'
import { chargesIn, wrongBooks } from '#testing/books/invariants'
import { booksPlace, here, type Place } from '#testing/books/test-books'
import { engines, sampledEngine } from '#testing/database/database'
import { cuttable } from '#testing/upstream/cuttable'
import { usageRow } from '#testing/usage-row'
import type { LeasedBooks } from './leased-books.ts'

const credit = 1_000_000n
let place: Place | undefined
const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
  const wrong = await place?.settled()
  await place?.close()
  expect(wrong).toEqual([])
}, 30_000)

const budget = {
  id: 'budget:key:k:total:',
  budget: { limit: credit, of: 'key', ofId: 'k', span: 'total', from: null, until: null },
} as const
const row = (requestId: string, cost: bigint) => usageRow({ requestId, cost, userId: 'w1', keyId: 'k' })

/** How long a start listens for the process that a folder came from, in milliseconds. */
const listenMs = 3_000

/** Opens books on this folder as the program does; `slept` gets what they wait for, in milliseconds. */
async function open(on: Place, folder: string, address?: string, slept: number[] = []): Promise<LeasedBooks> {
  await mkdir(folder, { recursive: true })
  const noted: Clock = {
    ...clock,
    sleep(ms, signal) {
      slept.push(ms)
      return clock.sleep(ms, signal)
    },
  }
  return on.begin(
    { folder: `${folder}/journal`, installation: 'same', place: await placeOf(folder), settleWaits: true, clock: noted },
    address,
  )
}

test('it is refused while its process is alive', async () => {
  place = await booksPlace(sampledEngine(import.meta.file))
  const wallet = await place.wallet(credit)
  const [mine, copy] = [join(place.base.folder, 'mine'), join(place.base.folder, 'copy')]
  const a = await open(place, mine, here)
  await a.hold('r1', [{ id: wallet }], 1000n)
  await a.flush()
  await cp(mine, copy, { recursive: true })
  const slept: number[] = []
  await expect(open(place, copy, here, slept)).rejects.toThrow(/its Parley \(instance \d+\) still runs/)
  expect(slept).toContain(listenMs)
  await a.settle(row('r1', 1000n))
  expect(await chargesIn(place.store)).toEqual(new Map([['r1', 1000n]]))
}, 30_000)

test('a start in the same place is not delayed', async () => {
  place = await booksPlace(sampledEngine(import.meta.file))
  const wallet = await place.wallet(credit)
  const folder = join(place.base.folder, 'mine')
  const a = await open(place, folder, here)
  await a.hold('r1', [{ id: wallet }], 1000n)
  a.progress(row('r1', 400n))
  const slept: number[] = []
  // As after kill -9: nobody has closed it. Its lock would prove it dead.
  const b = await open(place, folder, here, slept)
  expect(slept).not.toContain(listenMs)
  expect(await unsettledAmong(place.store, ['r1'])).toEqual(new Set())
  expect(await chargesIn(place.store)).toEqual(new Map([['r1', 400n]]))
  await b.flush()
}, 30_000)

// The embedded database is in the folder, and is copied with it.
describe.each(engines.filter((engine) => engine === 'postgres'))('on %s', (engine) => {
  test.each([
    ['more', 400n, 1_000_000n, 900n],
    ['less', 400n, 1_000_000n, 100n],
    ['more than is left', 400n, 600n, 900n],
  ])(
    'of one that could not be heard, the real end costs %s: it is charged, once',
    async (_, sofar, balance, cost) => {
      place = await booksPlace(engine)
      const wallet = await place.wallet(balance)
      const [mine, copy] = [join(place.base.folder, 'mine'), join(place.base.folder, 'copy')]
      const way = await cuttable(place.base.databaseUrl ?? '')
      undo.push(() => way.mend())
      const a = await open(place, mine, way.url)
      await a.hold('r1', [{ id: wallet }, budget], 500n)
      a.progress(row('r1', sofar))
      await a.flush()
      await way.cut()
      await cp(mine, copy, { recursive: true })
      const b = await open(place, copy, place.base.databaseUrl)
      expect(await chargesIn(place.store)).toEqual(new Map([['r1', sofar]]))
      expect(await unsettledAmong(place.store, ['r1'])).toEqual(new Set(['r1']))
      expect(await wrongBooks(place.store)).toEqual([])

      const charged = cost < balance ? cost : balance
      void a.settle(row('r1', cost))
      await way.mend()
      for (let tries = 0; tries < 400 && (await chargesIn(place.store)).get('r1') !== charged; tries++) await clock.sleep(25)
      expect(await chargesIn(place.store)).toEqual(new Map([['r1', charged]]))
      expect(await unsettledAmong(place.store, ['r1'])).toEqual(new Set())
      expect(await wrongBooks(place.store)).toEqual([])

      // Started again on what both left, nothing is charged a second time.
      await b.close()
      await a.close()
      for (const folder of [mine, copy]) {
        const store = await openStore({ databaseUrl: place.base.databaseUrl ?? '', dataFolder: folder, clock, random })
        undo.push(() => store.close())
        await (await open(place, folder, place.base.databaseUrl)).close()
      }
      expect(await chargesIn(place.store)).toEqual(new Map([['r1', charged]]))
    },
    60_000,
  )
})
