/** Two instances under steady traffic on one large account lose the database: measures how long their leases last. */
import { openWallets, postGrant } from '#store/ledger/ledger'
import { leasedOf } from '#testing/books/invariants'
import { seeded } from '#testing/seeded'
import { createCluster, type Site } from './cluster.ts'
import type { BooksDatabase } from './database.ts'
import { removeLeftovers } from './leftovers.ts'
import { createNetwork } from './network-faults.ts'
import { ask } from './requests.ts'
import { judgeBooks, newClientRecord } from './verdict.ts'

/** The result of an outage. */
export interface Outage {
  /** Requests while the database was unavailable. */
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
export async function outage(database: BooksDatabase, { coverMs, outageMs }: { coverMs: number; outageMs: number }): Promise<Outage> {
  await database.clear()
  const network = createNetwork(seeded(1), { bad: 0, slowMs: 5, faults: ['lost'] })
  const setting = { coverMs, settleWaits: false, writeOffMs: 86_400_000 }
  const cluster = createCluster({ database, seed: 1, sites: 2, network, setting, actions: {} })
  const { clock, sites } = cluster
  const [record, wallet, credit] = [newClientRecord(), 'rich', 10n ** 9n]
  await openWallets(database.store.db, [wallet])
  const grant = { ref: 'grant', kind: 'grant', actor: 't', reason: 'r', at: new Date(0) } as const
  await postGrant(database.store.db, { walletId: wallet, amount: credit, ...grant })
  let [isAway, served, refused, open] = [false, 0, 0, 0]

  async function request(id: string, site: Site | undefined): Promise<void> {
    if (!site?.process || !site.books) return
    const { process, books } = site
    const during = isAway
    open += 1
    const how = { hold: cost, grow: 0n, tenths: 10n, fails: false, firstMs: 50, restMs: 100 }
    const outcome = await ask({ id, accounts: [{ id: wallet }], ...how }, process, books, record)
    open -= 1
    if (!during) return
    if (outcome === 'done') served += 1
    else refused += 1
  }

  for (const site of sites) cluster.start(site)
  const turns = (1_000 + warmMs + outageMs) / paceMs
  for (let n = 5; n < turns; n++) clock.after(n * paceMs, () => void request(`${n}`, sites[n % 2]))
  await cluster.until(1_000 + warmMs)
  const leased = Number(await leasedOf(database.store, wallet))
  isAway = true
  for (const { process } of sites) process?.cut(true)
  await cluster.until(1_000 + warmMs + outageMs)
  for (const { process } of sites) process?.cut(false)
  await cluster.wait(() => open === 0, 10_000)
  await cluster.until(clock.monotonic() + 5_000)
  for (const site of sites) await cluster.close(site)
  const { faults } = await judgeBooks(database.store, record, new Map([[wallet, credit]]))
  await removeLeftovers(cluster)
  return { served, refused, leased, perCover: (Number(cost) * coverMs) / paceMs, faults: [...faults, ...cluster.errors] }
}
