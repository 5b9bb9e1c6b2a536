/**
 * A few seeded seconds of several instances of the real leased books on one database: requests, and everything that can happen to
 * calls and processes meanwhile. At the end the books must be as if none of that had happened. Start reading at `runBooks`.
 */
import type { LeasedBooks } from '#billing/ledger/leased-books'
import { openWallets, postGrant } from '#store/ledger/ledger'
import { wrongBooks } from '#testing/books/invariants'
import { type Seeded, seeded } from '#testing/seeded'
import type { Ground } from './database.ts'
import { forget } from './leftovers.ts'
import { type Climate, createWeather, type Fate } from './network-faults.ts'
import { draw, type Plan, schedule, type Tally } from './schedule.ts'
import { judgeBooks, newHeard, uncovered } from './verdict.ts'
import { createWorld, type Meddling, type World } from './world.ts'

export interface BooksRun {
  /** Broken promises; empty when all is well. */
  faults: string[]
  /** How often what happened. */
  counts: Record<string, number>
}

export interface Variant extends Meddling {
  /** After how many milliseconds of silence an instance is written off; absent: never. */
  writeOffMs?: number
  /** Override the seed so that a fault shows soon: many want the last of one account; and the network. */
  isCrowded?: boolean
  isPeaceful?: boolean
  climate?: Partial<Climate>
}

const activeMs = 8_000
const lookMs = 1_000
const glanceMs = 200
const dayMs = 86_400_000
const wrongFates: readonly [Fate, ...Fate[]] = ['lost', 'answer lost', 'late', 'late']

/** Runs the schedule of this seed; the result names every broken promise. */
export async function runBooks(ground: Ground, seed: number, variant: Variant = {}): Promise<BooksRun> {
  await ground.clear()
  const random = seeded(seed)
  const plan = draw(seed, random, variant.isCrowded)
  const climate = { bad: random.pick([0, 0.03, 0.1]), slowMs: random.pick([2, 10, 40]), faults: wrongFates, ...variant.climate }
  const weather = createWeather(seeded(seed * 31 + 7), climate)
  const setting = { coverMs: random.pick([0, 1_000, 60_000]), settleWaits: random.below(2) === 0, writeOffMs: variant.writeOffMs ?? dayMs }
  const world = createWorld({ ground, seed, places: plan.instances, weather, setting, meddling: variant })
  const heard = newHeard()
  const posted = await fund(ground, plan, random)
  for (const place of world.places) world.start(place)
  const tally = schedule({
    world,
    ground,
    plan,
    random,
    heard,
    posted,
    activeMs,
    isPeaceful: variant.isPeaceful ?? false,
    writeOffMs: variant.writeOffMs,
  })

  const faults: string[] = []
  const look = async () => {
    for (const wrong of await wrongBooks(ground.store)) faults.push(`at ${world.clock.monotonic()} ms: ${JSON.stringify(wrong)}`)
  }
  for (let at = glanceMs; at <= activeMs; at += glanceMs) {
    await world.until(at)
    if (variant.writeOffMs === undefined) faults.push(...(await uncovered(ground.store, world, heard)))
    if (at % lookMs === 0) await look()
  }
  weather.clear()
  faults.push(...(await calmDown(world, tally)))
  await look()
  for (const place of world.places) await world.close(place)
  const verdict = await judgeBooks(ground.store, heard, posted)
  faults.push(...verdict.faults)
  if (variant.writeOffMs === undefined) faults.push(...world.errors.map((error) => `said: ${error}`))
  await forget(world)
  const money = { overrun: Number(verdict.overrun), 'written off': Number(heard.writtenOff) }
  return { faults, counts: { ...world.counts, ...tally.counts, ...Object.fromEntries(weather.fates), ...money } }
}

async function fund({ store }: Ground, { wallets }: Plan, random: Seeded): Promise<Map<string, bigint>> {
  const posted = new Map<string, bigint>()
  for (const id of wallets) {
    const amount = BigInt(50 + random.below(800))
    await openWallets(store.db, [id])
    await postGrant(store.db, { walletId: id, amount, ref: `grant:${id}`, kind: 'grant', actor: 't', reason: 'r', at: new Date(0) })
    posted.set(id, amount)
  }
  return posted
}

/** All processes come back and finish; then nobody waits, everything is in the books, and idle leases go back. */
async function calmDown(world: World, tally: Tally): Promise<string[]> {
  for (const place of world.places) {
    place.process?.cut(false)
    place.process?.resume()
    if (!place.process) world.start(place)
  }
  const isOver = () => world.places.every(({ process, books }) => books && (tally.open.get(process) ?? 0) === 0)
  if (!(await world.wait(isOver, 60_000))) {
    return ['left over: a request or a start waits for ever', ...world.places.map(({ failure }) => `a start failed: ${failure}`)]
  }
  let written = 0
  const write = async (books: LeasedBooks | undefined) => {
    while (books && !(await books.flush())) await world.clock.sleep(100)
    written += 1
  }
  for (const { books } of world.places) void write(books)
  if (!(await world.wait(() => written === world.places.length, 20_000))) return ['left over: what has ended is not written']
  await world.until(world.clock.monotonic() + 6_000)
  return []
}
