/**
 * The real books of several instances in simulated time: whatever happens to calls and processes, every delivered answer is in the
 * books once and no one overspends. Then the same with faulty implementations, each of which must be detected.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type BooksDatabase, openBooksDatabase } from '#testing/books/simulator/database'
import { outage } from '#testing/books/simulator/outage'
import { runBooks, type Variant } from '#testing/books/simulator/run'
import {
  believesTooLong,
  endsOnly,
  lateReturns,
  markedFirst,
  returnedEarly,
  unaware,
  unfenced,
  writtenAgain,
} from '#testing/books/simulator/wrong-designs'
import { isDeep, sampled, sampledSeeds } from '#testing/sample'

let database: BooksDatabase
beforeAll(async () => {
  database = await openBooksDatabase()
}, 60_000)
afterAll(() => database.close())

/** Runs the schedules and adds up what happened in them. */
async function all(seeds: readonly number[], variant?: Variant): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const seed of seeds) {
    const { faults, counts } = await runBooks(database, seed, variant)
    expect([seed, faults]).toEqual([seed, []])
    for (const [what, often] of Object.entries(counts)) sums[what] = (sums[what] ?? 0) + often
  }
  console.log(`${seeds.length} schedules: ${JSON.stringify(sums)}`)
  return sums
}

test('whatever happens to calls and processes, the books are right at every moment and complete in the end', async () => {
  const sums = await all(sampledSeeds(16, 2))
  const met = [
    'done',
    'refused',
    'unavailable',
    'kills',
    'killed at start',
    'pauses',
    'partitions',
    'outages',
    'clocks set back',
    'redeemed',
  ]
  // A few schedules need not meet everything.
  if (isDeep) expect([...met, 'lost', 'answer lost', 'late'].filter((what) => !sums[what])).toEqual([])
  expect(sums.overrun).toBe(0)
}, 120_000)

test('where instances are written off too soon, no more is lost than was written off, and no answer', async () => {
  const sums = await all(sampledSeeds(8, 1), { writeOffMs: 2_500 })
  if (isDeep) expect(sums['write-offs']).toBeGreaterThan(0)
}, 60_000)

test('where a standby that lacks the last commits takes over, every answer is in the books, and only what was granted before may be missing', async () => {
  const sums = await all(sampledSeeds(8, 1), { losesCommits: true })
  if (isDeep) for (const what of ['rows lost', 'losses']) expect([what, sums[what]]).toEqual([what, expect.any(Number)])
  if (isDeep) expect(Math.min(sums['rows lost'] ?? 0, sums.losses ?? 0)).toBeGreaterThan(0)
}, 120_000)

interface Naive {
  /** How the database is changed. */
  change?: (database: BooksDatabase) => Promise<void>
  variant: (database: BooksDatabase) => Variant
  fault: RegExp
  /** The schedule to try first: the first that found it when this was written. */
  from?: number
}

const naive: [string, Naive][] = [
  [
    'a call that was given up and happens all the same',
    {
      change: unfenced,
      variant: () => ({ isCrowded: true, isPeaceful: true, networkFaults: lateReturns }),
      fault: /not on lease|overspent/,
    },
  ],
  [
    'a line that is sent twice and written twice',
    { change: writtenAgain, variant: () => ({}), fault: /I4 a request has one row/, from: 6 },
  ],
  [
    'a lease that goes back before the journal was read',
    { variant: (each) => ({ isCrowded: true, ...returnedEarly(each) }), fault: /overspent/ },
  ],
  ['leases that are spent while commits are known to be lost', { variant: () => unaware, fault: /not whole: / }],
  ['leases that are spent after they were written off', { variant: () => believesTooLong, fault: /granted too late: / }],
  ['codes that are marked in one call and credited in another', { variant: () => markedFirst, fault: /^code: /m }],
  ['a journal that only knows ends', { variant: () => endsOnly, fault: /is not in the books/ }],
]

test.each(sampled(naive, 1))(
  '%s is found, where the right way shows nothing',
  async (name, { change, variant, fault, from = 1 }) => {
    const changed = change ? await openBooksDatabase() : database
    await change?.(changed)
    let seed = from - 1
    let found = ''
    while (seed < 60 && !fault.test(found)) found = (await runBooks(changed, ++seed, variant(changed))).faults.join('\n')
    if (changed !== database) await changed.close()
    expect(found).toMatch(fault)
    console.log(`${name}: seed ${seed}: ${found.split('\n').find((line) => fault.test(line))}`)
    const { killed: _, answers: __, believedMs: ___, redeem: ____, ...right } = variant(database)
    expect((await runBooks(database, seed, right)).faults).toEqual([])
  },
  120_000,
)

test('an outage shorter than the cover of leases is not noticed, and bounds what they hold', async () => {
  const { served, refused, leased, perCover, faults } = await outage(database, { coverMs: 60_000, outageMs: 45_000 })
  console.log(`45 s without the database: ${served} served, ${refused} refused; on lease ${leased}, used in the time to cover ${perCover}`)
  expect([refused, faults]).toEqual([0, []])
  expect(served).toBeGreaterThan(150)
  expect(leased).toBeLessThanOrEqual(8 * perCover)
}, 60_000)
