/** Two instances under steady traffic on one rich account lose the database: how long do their leases last? */
import { openWallets, postGrant } from '#store/ledger/ledger'
import { leasedOf } from '#testing/books/invariants'
import { seeded } from '#testing/seeded'
import type { Ground } from './database.ts'
import { forget } from './leftovers.ts'
import { createWeather } from './network-faults.ts'
import { ask } from './requests.ts'
import { judgeBooks, newHeard } from './verdict.ts'
import { createWorld, type Place } from './world.ts'

export interface Outage {
  /** While the database was away. */
  served: number
  refused: number
  /** Nano-dollars: on lease when the outage began, and spent in the time that leases should cover. */
  leased: number
  perCover: number
  faults: string[]
}

const warmMs = 60_000
const paceMs = 200
const cost = 100n

/** Runs the outage; amounts in the result are nano-dollars. */
export async function outage(ground: Ground, { coverMs, outageMs }: { coverMs: number; outageMs: number }): Promise<Outage> {
  await ground.clear()
  const weather = createWeather(seeded(1), { bad: 0, slowMs: 5, faults: ['lost'] })
  const setting = { coverMs, settleWaits: false, writeOffMs: 86_400_000 }
  const world = createWorld({ ground, seed: 1, places: 2, weather, setting, meddling: {} })
  const { clock, places } = world
  const [heard, wallet, credit] = [newHeard(), 'rich', 10n ** 9n]
  await openWallets(ground.store.db, [wallet])
  const grant = { ref: 'grant', kind: 'grant', actor: 't', reason: 'r', at: new Date(0) } as const
  await postGrant(ground.store.db, { walletId: wallet, amount: credit, ...grant })
  let [isAway, served, refused, open] = [false, 0, 0, 0]

  async function request(id: string, place: Place | undefined): Promise<void> {
    if (!place?.process || !place.books) return
    const { process, books } = place
    const during = isAway
    open += 1
    const how = { hold: cost, grow: 0n, tenths: 10n, fails: false, firstMs: 50, restMs: 100 }
    const outcome = await ask({ id, accounts: [{ id: wallet }], ...how }, process, books, heard)
    open -= 1
    if (!during) return
    if (outcome === 'done') served += 1
    else refused += 1
  }

  for (const place of places) world.start(place)
  const turns = (1_000 + warmMs + outageMs) / paceMs
  for (let n = 5; n < turns; n++) clock.after(n * paceMs, () => void request(`${n}`, places[n % 2]))
  await world.until(1_000 + warmMs)
  const leased = Number(await leasedOf(ground.store, wallet))
  isAway = true
  for (const { process } of places) process?.cut(true)
  await world.until(1_000 + warmMs + outageMs)
  for (const { process } of places) process?.cut(false)
  await world.wait(() => open === 0, 10_000)
  await world.until(clock.monotonic() + 5_000)
  for (const place of places) await world.close(place)
  const { faults } = await judgeBooks(ground.store, heard, new Map([[wallet, credit]]))
  await forget(world)
  return { served, refused, leased, perCover: (Number(cost) * coverMs) / paceMs, faults: [...faults, ...world.errors] }
}
