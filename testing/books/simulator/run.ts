/**
 * Runs several instances of the real leased books on one database for a few seeded seconds, with requests and every fault that can affect
 * calls and processes. In the end the books must be as if no fault had occurred. Start reading at `runBooks`.
 */
import type { LeasedBooks } from '#billing/ledger/leased-books'
import { openWallets, postGrant } from '#store/ledger/ledger'
import { wrongBooks } from '#testing/books/invariants'
import { type Seeded, seeded } from '#testing/seeded'
import { type Cluster, createCluster, type DesignActions } from './cluster.ts'
import { judgeCodes, planCodes } from './codes.ts'
import type { BooksDatabase } from './database.ts'
import { drawHeldPlans } from './held-plans.ts'
import { removeLeftovers } from './leftovers.ts'
import { createNetwork, type Fate, type NetworkFaults } from './network-faults.ts'
import { draw, type Plan, type Progress, schedule } from './schedule.ts'
import { judgeBooks, newClientRecord, uncovered } from './verdict.ts'

/** The result of one run. */
export interface BooksRun {
  /** Broken invariants; empty if the run passed. */
  faults: string[]
  /** Number of events by kind. */
  counts: Record<string, number>
}

/** Settings that override those drawn from the seed. */
export interface Variant extends DesignActions {
  /** Milliseconds of silence after which an instance is written off; absent: never. */
  writeOffMs?: number
  /** The database is replaced by a standby that lacks its last commits. */
  losesCommits?: boolean
  /** Make a fault show soon: many requests compete for one account; no faults of processes; other network faults. */
  isCrowded?: boolean
  isPeaceful?: boolean
  longestCutMs?: number
  networkFaults?: Partial<NetworkFaults>
}

const activeMs = 8_000
const lookMs = 1_000
const glanceMs = 200
const dayMs = 86_400_000
const usualCutMs = 3_000
const faultyFates: readonly [Fate, ...Fate[]] = ['lost', 'answer lost', 'late', 'late']

/** Runs the schedule of this seed; the result lists every broken invariant. */
export async function runBooks(database: BooksDatabase, seed: number, variant: Variant = {}): Promise<BooksRun> {
  await database.clear()
  const random = seeded(seed)
  const plan = draw(seed, random, variant.isCrowded)
  const networkFaults = {
    bad: random.pick([0, 0.03, 0.1]),
    slowMs: random.pick([2, 10, 40]),
    faults: faultyFates,
    ...variant.networkFaults,
  }
  const network = createNetwork(seeded(seed * 31 + 7), networkFaults)
  const setting = { coverMs: random.pick([0, 1_000, 60_000]), settleWaits: random.below(2) === 0, writeOffMs: variant.writeOffMs ?? dayMs }
  const cluster = createCluster({ database, seed, sites: plan.instances, network, setting, actions: variant })
  const record = newClientRecord()
  const posted = await fund(database, plan, random)
  const { wallets } = plan
  const held = drawHeldPlans(seed, wallets, cluster.clock.now(), activeMs)
  // A standby that lacks the last commits has no codes in these runs.
  const { redeem } = variant
  const codes = variant.losesCommits
    ? undefined
    : await planCodes(database, cluster, { seed, wallets, activeMs, ...(redeem && { redeem }) })
  for (const site of cluster.sites) cluster.start(site)
  const progress = schedule({
    cluster,
    database,
    ...{ plan, held },
    random,
    record,
    posted,
    activeMs,
    isPeaceful: variant.isPeaceful ?? false,
    writeOffMs: variant.writeOffMs,
    losesCommits: variant.losesCommits ?? false,
    longestCutMs: variant.longestCutMs ?? usualCutMs,
  })

  const faults: string[] = []
  const look = async () => {
    for (const wrong of await wrongBooks(database.store)) faults.push(`at ${cluster.clock.monotonic()} ms: ${JSON.stringify(wrong)}`)
  }
  for (let at = glanceMs; at <= activeMs; at += glanceMs) {
    await cluster.until(at)
    if (variant.writeOffMs === undefined && !variant.losesCommits) faults.push(...(await uncovered(database.store, cluster, record)))
    if (at % lookMs === 0) await look()
  }
  network.endFaults()
  faults.push(...(await settleAll(cluster, progress)))
  await look()
  for (const site of cluster.sites) await cluster.close(site)
  const { lostAt } = record
  if (lostAt !== undefined) record.bereft.push(...cluster.setbacks.filter(({ at }) => at >= lostAt))
  if (codes) faults.push(...(await judgeCodes(database.store, codes, posted)))
  const verdict = await judgeBooks(database.store, record, posted)
  faults.push(...verdict.faults)
  if (variant.writeOffMs === undefined && !variant.losesCommits) faults.push(...cluster.errors.map((error) => `logged: ${error}`))
  await removeLeftovers(cluster)
  const money = { overrun: Number(verdict.overrun), 'written off': Number(record.writtenOff) }
  return { faults, counts: { ...cluster.counts, ...progress.counts, ...codes?.counts, ...Object.fromEntries(network.fates), ...money } }
}

async function fund({ store }: BooksDatabase, { wallets }: Plan, random: Seeded): Promise<Map<string, bigint>> {
  const posted = new Map<string, bigint>()
  for (const id of wallets) {
    const amount = BigInt(50 + random.below(800))
    await openWallets(store.db, [id])
    await postGrant(store.db, { walletId: id, amount, ref: `grant:${id}`, kind: 'grant', actor: 't', reason: 'r', at: new Date(0) })
    posted.set(id, amount)
  }
  return posted
}

/** Lets all processes recover and finish; then no request may be open, all rows must be written, and idle leases are returned. */
async function settleAll(cluster: Cluster, progress: Progress): Promise<string[]> {
  for (const site of cluster.sites) {
    site.process?.cut(false)
    site.process?.resume()
    if (!site.process) cluster.start(site)
  }
  const isOver = () => cluster.sites.every(({ process, books }) => books && (progress.open.get(process) ?? 0) === 0)
  if (!(await cluster.wait(isOver, 60_000))) {
    return ['left over: a request or a start never ends', ...cluster.sites.map(({ failure }) => `a start failed: ${failure}`)]
  }
  let written = 0
  const write = async (books: LeasedBooks | undefined) => {
    while (books && !(await books.flush())) await cluster.clock.sleep(100)
    written += 1
  }
  for (const { books } of cluster.sites) void write(books)
  if (!(await cluster.wait(() => written === cluster.sites.length, 20_000))) return ['left over: a settled request is not written']
  await cluster.until(cluster.clock.monotonic() + 6_000)
  return []
}
