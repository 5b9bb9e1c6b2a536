/** Plans the events of a run: requests, kills, pauses, partitions, outages, clocks set back, payments and write-offs. */
import type { Account } from '#billing/lease/account'
import { budgetAccounts } from '#billing/ledger/budgets'
import type { HeldPlan } from '#shared/console/selling'
import { sqlState } from '#store/engine/sql-state'
import { closeInstance, missingInstances } from '#store/ledger/instances'
import { postGrant } from '#store/ledger/ledger'
import type { Seeded } from '#testing/seeded'
import type { Cluster, Site } from './cluster.ts'
import type { BooksDatabase } from './database.ts'
import { failOver, stopFollowing } from './failover.ts'
import { ask, type Outcome, type Request } from './requests.ts'
import type { Process } from './simulated-process.ts'
import type { ClientRecord } from './verdict.ts'

/** What is drawn for a run before it starts. */
export interface Plan {
  instances: number
  wallets: readonly [string, ...string[]]
  /** The budgets that requests also count against, by wallet. */
  budgets: ReadonlyMap<string, readonly Account[]>
  /** Average milliseconds between two requests. */
  paceMs: number
  /** The largest hold in nano-dollars; small, so that accounts are spent completely. */
  largest: number
  /** Number of payments and withdrawals. */
  postings: number
}

/** Draws a plan. `isCrowded`: many requests compete for one account; half of the seeds do so anyway. */
export function draw(seed: number, random: Seeded, isCrowded = false): Plan {
  const crowded = random.below(2) === 0 || isCrowded
  const others = Array.from({ length: crowded ? 0 : random.below(3) }, (_, n) => `${seed}-w${n + 1}`)
  const wallets: Plan['wallets'] = [`${seed}-w0`, ...others]
  const budget = (of: 'key' | 'user' | 'member', id: string): Account => {
    const limit = BigInt(300 + random.below(2_000))
    return { id: `budget:${of}:${id}:total:`, budget: { limit, of, ofId: id, span: 'total', from: null, until: null } }
  }
  const budgetsOf = (id: string) => [
    ...(random.below(3) === 0 ? [budget('key', id)] : []),
    ...(random.below(4) === 0 ? [budget('user', id)] : []),
    // Like a team whose members' caps are checked beside its wallet.
    ...(random.below(3) === 0 ? [budget('member', `${id}.m`)] : []),
  ]
  return {
    instances: crowded ? 3 + random.below(3) : 1 + random.below(4),
    wallets,
    budgets: new Map(wallets.map((id) => [id, budgetsOf(id)])),
    paceMs: crowded ? 35 : random.pick([40, 80, 160]),
    largest: random.pick([20, 60]),
    postings: crowded ? 16 : random.below(4),
  }
}

/** The environment of a schedule. */
export interface ScheduleParts {
  cluster: Cluster
  database: BooksDatabase
  plan: Plan
  /** The plans of wallets, with windows in which their usage counts too. */
  held: ReadonlyMap<string, HeldPlan>
  random: Seeded
  record: ClientRecord
  /** Nano-dollars paid in so far, by wallet; kept up to date. */
  posted: Map<string, bigint>
  activeMs: number
  /** No faults of processes. */
  isPeaceful: boolean
  writeOffMs: number | undefined
  /** The longest partition in milliseconds. */
  longestCutMs: number
  /** A standby that lacks the last commits takes the place of the primary. */
  losesCommits: boolean
}

/** Counts of what has happened so far. */
export interface Progress {
  /** Number of open requests by process. */
  open: Map<Process | undefined, number>
  counts: Record<
    'asked' | Outcome | 'pauses' | 'partitions' | 'outages' | 'clocks set back' | 'postings' | 'write-offs' | 'rows lost',
    number
  >
}

/** Sets a timer for each event; answers the counts, which are updated as events happen. */
export function schedule(parts: ScheduleParts): Progress {
  const counts = { asked: 0, done: 0, refused: 0, unavailable: 0, full: 0 }
  const progress: Progress = {
    open: new Map(),
    counts: { ...counts, pauses: 0, partitions: 0, outages: 0, 'clocks set back': 0, postings: 0, 'write-offs': 0, 'rows lost': 0 },
  }
  planRequests(parts, progress)
  if (!parts.isPeaceful) planFaults(parts, progress)
  planPostings(parts, progress)
  if (parts.writeOffMs !== undefined) writeOffs(parts, parts.writeOffMs, progress)
  if (parts.losesCommits) planFailover(parts, progress)
  return progress
}

function planRequests({ cluster, plan, held, random, record, activeMs, writeOffMs }: ScheduleParts, progress: Progress): void {
  let at = 0
  for (let n = 0; at < activeMs; n++) {
    at += random.fraction() * 2 * plan.paceMs
    const wallet = random.pick(plan.wallets)
    const request: Request = {
      id: `${wallet}-${n}`,
      accounts: [{ id: wallet }, ...(plan.budgets.get(wallet) ?? [])],
      hold: BigInt(1 + random.below(plan.largest)),
      grow: random.below(4) === 0 ? BigInt(1 + random.below(plan.largest)) : 0n,
      tenths: BigInt(random.below(11)),
      fails: random.below(10) === 0,
      firstMs: random.below(random.pick([20, 200])),
      restMs: random.below(random.pick([20, 1_000])),
    }
    const site = cluster.sites[random.below(cluster.sites.length)]
    if (site) cluster.clock.after(at, () => void send(request, site))
  }

  /** Leases may be spent for as long after an answer as others wait before they write them off, and never while commits are known to be lost. */
  function lawful(site: Site, id: string): void {
    record.granted.set(id, { site: site.name, at: cluster.clock.monotonic() })
    if (site.isTelling) record.unlawful.push(`not whole: ${id} was granted while its database was known to lack commits`)
    const since = cluster.clock.monotonic() - site.seen
    if (since >= (writeOffMs ?? Number.POSITIVE_INFINITY))
      record.unlawful.push(`unlawful: ${id} was granted ${since} ms after the last call`)
  }

  /** The windows of the wallet's plan that the process is in, by its own clock. */
  const planAccounts = (wallet: string, now: number) => {
    const plan = held.get(wallet)
    return plan ? budgetAccounts([{ of: 'user', id: wallet, budget: { plan } }], now) : []
  }

  async function send(request: Request, site: Site): Promise<void> {
    const { process, books } = site
    if (!process || !books) return
    progress.counts.asked += 1
    progress.open.set(process, (progress.open.get(process) ?? 0) + 1)
    // A paused process starts the request when it resumes.
    await process.clock.sleep(0)
    const ofPlan = planAccounts(request.accounts[0]?.id ?? '', process.clock.now())
    const counted = { ...request, accounts: [...request.accounts, ...ofPlan] }
    progress.counts[await ask(counted, process, books, record, () => lawful(site, request.id))] += 1
    progress.open.set(process, (progress.open.get(process) ?? 0) - 1)
  }
}

function planFaults({ cluster, random, activeMs, longestCutMs }: ScheduleParts, { counts }: Progress): void {
  const { clock, sites } = cluster
  const often = (most: number, what: (site: Site) => void) => {
    for (let count = random.below(most + 1); count > 0; count--) {
      const site = sites[random.below(sites.length)]
      if (site) clock.after(random.fraction() * activeMs, () => what(site))
    }
  }
  const cut = (those: readonly Site[], ms: number) => {
    const processes = those.map(({ process }) => process)
    for (const process of processes) process?.cut(true)
    clock.after(ms, () => {
      for (const process of processes) process?.cut(false)
    })
  }
  const startAgain = (site: Site) => {
    if (site.process) return
    cluster.start(site)
    // Some are killed while starting; the next start must replay the rest.
    if (random.below(3) > 0) return
    clock.after(random.fraction() * 100, () => {
      cluster.kill(site)
      clock.after(random.fraction() * 200, () => startAgain(site))
    })
  }
  often(6, (site) => {
    cluster.kill(site)
    clock.after(random.fraction() * random.pick([50, 3_000]), () => startAgain(site))
  })
  often(2, ({ process }) => {
    counts.pauses += 1
    process?.pause(random.fraction() * random.pick([400, 2_000, 16_000]), random.below(2) === 0)
  })
  often(2, (site) => {
    counts.partitions += 1
    cut([site], random.fraction() * longestCutMs)
  })
  often(1, () => {
    counts.outages += 1
    cut(sites, random.fraction() * 2_000)
  })
  often(1, ({ process }) => {
    counts['clocks set back'] += 1
    process?.shift(-random.fraction() * 3_600_000)
  })
}

function planPostings({ cluster, database: { store }, plan, random, posted, activeMs }: ScheduleParts, { counts }: Progress): void {
  for (let n = plan.postings; n > 0; n--) {
    const walletId = random.pick(plan.wallets)
    const amount = BigInt(random.below(4) === 0 ? -1 - random.below(200) : 1 + random.below(600))
    const posting = { walletId, amount, ref: `credit:${walletId}:${n}`, kind: 'credit', actor: 't', reason: 'r', at: new Date(0) } as const
    const post = async () => {
      counts.postings += 1
      try {
        await postGrant(store.db, posting)
      } catch (thrown) {
        // The withdrawal exceeds the free balance.
        if (sqlState(thrown) === '23514') return
        throw thrown
      }
      posted.set(walletId, (posted.get(walletId) ?? 0n) + amount)
      cluster.notify('accounts', walletId)
    }
    cluster.clock.after(random.fraction() * activeMs, () => void cluster.alongside(post))
  }
}

/** Lets the other instances write off silent ones, whose actual spending is unknown. */
function writeOffs({ cluster, database: { store }, record, activeMs }: ScheduleParts, writeOffMs: number, { counts }: Progress): void {
  const sweep = async () => {
    const missing = await missingInstances(store, 0)
    for (const site of cluster.sites) {
      if (cluster.clock.monotonic() - site.seen < writeOffMs) continue
      const instances = await store.db.query.instances.findMany({ where: (row, { eq }) => eq(row.folder, site.name) })
      for (const { id } of instances.filter((each) => missing.includes(each.id))) {
        const leases = await store.db.query.leases.findMany({ where: (row, { eq }) => eq(row.instance, id) })
        if (!(await closeInstance(store, id))) continue
        counts['write-offs'] += 1
        for (const { amount } of leases) record.writtenOff += amount
        record.bereft.push({ site: site.name, at: cluster.clock.monotonic() })
      }
    }
  }
  for (let at = 0; at < activeMs; at += 500) cluster.clock.after(at, () => void cluster.alongside(sweep))
}

/** The standby stops following, and takes over some time later. Payments made meanwhile are lost with the rest. */
function planFailover({ cluster, database: { store }, random, record, posted, activeMs }: ScheduleParts, { counts }: Progress): void {
  const followsUntil = (0.2 + random.fraction() / 2) * activeMs
  const followed = new Map<string, bigint>()
  cluster.clock.after(followsUntil, () => {
    void cluster.alongside(async () => {
      await stopFollowing(store)
      for (const [wallet, amount] of posted) followed.set(wallet, amount)
    })
  })
  cluster.clock.after(followsUntil + 100 + random.fraction() * 1_500, () => {
    void cluster.alongside(async () => {
      record.lostAt = cluster.clock.monotonic()
      counts['rows lost'] += await failOver(store)
      for (const [wallet, amount] of followed) posted.set(wallet, amount)
    })
  })
}
