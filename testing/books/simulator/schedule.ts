/** Plans what happens when: requests, kills, pauses, partitions, outages, clocks set back, money paid in, write-offs. */
import type { Account } from '#billing/lease/account'
import { sqlState } from '#store/engine/sql-state'
import { closeInstance, missingInstances } from '#store/ledger/instances'
import { postGrant } from '#store/ledger/ledger'
import type { Seeded } from '#testing/seeded'
import type { Ground } from './database.ts'
import { ask, type Outcome, type Request } from './requests.ts'
import type { Process } from './simulated-process.ts'
import type { Heard } from './verdict.ts'
import type { Place, World } from './world.ts'

export interface Plan {
  instances: number
  wallets: readonly [string, ...string[]]
  /** The budgets that also pay for requests, by wallet. */
  budgets: ReadonlyMap<string, readonly Account[]>
  /** Average milliseconds between two requests. */
  paceMs: number
  /** The largest hold in nano-dollars: small, so that accounts are spent to the last. */
  largest: number
  /** How often money is paid in or taken out. */
  postings: number
}

/** Draws a plan. `isCrowded`: many want the last of one account; half of the seeds do so anyway. */
export function draw(seed: number, random: Seeded, isCrowded = false): Plan {
  const crowded = random.below(2) === 0 || isCrowded
  const others = Array.from({ length: crowded ? 0 : random.below(3) }, (_, n) => `${seed}-w${n + 1}`)
  const wallets: Plan['wallets'] = [`${seed}-w0`, ...others]
  const budget = (of: 'key' | 'user', id: string): Account => {
    const limit = BigInt(300 + random.below(2_000))
    return { id: `budget:${of}:${id}:total:`, budget: { limit, of, ofId: id, span: 'total', from: null, until: null } }
  }
  const budgetsOf = (id: string) => [
    ...(random.below(3) === 0 ? [budget('key', id)] : []),
    ...(random.below(4) === 0 ? [budget('user', id)] : []),
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

export interface Scene {
  world: World
  ground: Ground
  plan: Plan
  random: Seeded
  heard: Heard
  /** Nano-dollars paid in so far, by wallet; kept up to date. */
  posted: Map<string, bigint>
  activeMs: number
  /** Nothing happens to processes. */
  isPeaceful: boolean
  writeOffMs: number | undefined
}

export interface Tally {
  /** Requests that are not over, by process. */
  open: Map<Process | undefined, number>
  counts: Record<'asked' | Outcome | 'pauses' | 'partitions' | 'outages' | 'clocks set back' | 'postings' | 'write-offs', number>
}

/** Sets the timers of everything that will happen; answers the counts, which grow while it happens. */
export function schedule(scene: Scene): Tally {
  const counts = { asked: 0, done: 0, refused: 0, unavailable: 0, full: 0 }
  const tally: Tally = {
    open: new Map(),
    counts: { ...counts, pauses: 0, partitions: 0, outages: 0, 'clocks set back': 0, postings: 0, 'write-offs': 0 },
  }
  planRequests(scene, tally)
  if (!scene.isPeaceful) planFaults(scene, tally)
  planPostings(scene, tally)
  if (scene.writeOffMs !== undefined) writeOffs(scene, scene.writeOffMs, tally)
  return tally
}

function planRequests({ world, plan, random, heard, activeMs }: Scene, tally: Tally): void {
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
    const place = world.places[random.below(world.places.length)]
    if (place) world.clock.after(at, () => void send(request, place))
  }

  async function send(request: Request, { process, books }: Place): Promise<void> {
    if (!process || !books) return
    tally.counts.asked += 1
    tally.open.set(process, (tally.open.get(process) ?? 0) + 1)
    // A paused process notices when it resumes.
    await process.clock.sleep(0)
    tally.counts[await ask(request, process, books, heard)] += 1
    tally.open.set(process, (tally.open.get(process) ?? 0) - 1)
  }
}

function planFaults({ world, random, activeMs }: Scene, { counts }: Tally): void {
  const { clock, places } = world
  const often = (most: number, what: (place: Place) => void) => {
    for (let count = random.below(most + 1); count > 0; count--) {
      const place = places[random.below(places.length)]
      if (place) clock.after(random.fraction() * activeMs, () => what(place))
    }
  }
  const cut = (those: readonly Place[], ms: number) => {
    const processes = those.map(({ process }) => process)
    for (const process of processes) process?.cut(true)
    clock.after(ms, () => {
      for (const process of processes) process?.cut(false)
    })
  }
  const startAgain = (place: Place) => {
    if (place.process) return
    world.start(place)
    // Some are killed while starting: the next start replays what they did not.
    if (random.below(3) > 0) return
    clock.after(random.fraction() * 100, () => {
      world.kill(place)
      clock.after(random.fraction() * 200, () => startAgain(place))
    })
  }
  often(6, (place) => {
    world.kill(place)
    clock.after(random.fraction() * random.pick([50, 3_000]), () => startAgain(place))
  })
  often(2, ({ process }) => {
    counts.pauses += 1
    process?.pause(random.fraction() * random.pick([400, 2_000, 16_000]), random.below(2) === 0)
  })
  often(2, (place) => {
    counts.partitions += 1
    cut([place], random.fraction() * 3_000)
  })
  often(1, () => {
    counts.outages += 1
    cut(places, random.fraction() * 2_000)
  })
  often(1, ({ process }) => {
    counts['clocks set back'] += 1
    process?.shift(-random.fraction() * 3_600_000)
  })
}

function planPostings({ world, ground: { store }, plan, random, posted, activeMs }: Scene, { counts }: Tally): void {
  for (let n = plan.postings; n > 0; n--) {
    const walletId = random.pick(plan.wallets)
    const amount = BigInt(random.below(4) === 0 ? -1 - random.below(200) : 1 + random.below(600))
    const posting = { walletId, amount, ref: `credit:${walletId}:${n}`, kind: 'credit', actor: 't', reason: 'r', at: new Date(0) } as const
    const post = async () => {
      counts.postings += 1
      try {
        await postGrant(store.db, posting)
      } catch (thrown) {
        // Less is free than was to be taken out.
        if (sqlState(thrown) === '23514') return
        throw thrown
      }
      posted.set(walletId, (posted.get(walletId) ?? 0n) + amount)
      world.tell('accounts', walletId)
    }
    world.clock.after(random.fraction() * activeMs, () => void world.alongside(post))
  }
}

/** Others write off silent instances, although nobody knows what those have spent. */
function writeOffs({ world, ground: { store }, heard, activeMs }: Scene, writeOffMs: number, { counts }: Tally): void {
  const sweep = async () => {
    const missing = await missingInstances(store, 0)
    for (const place of world.places) {
      if (world.clock.monotonic() - place.seen < writeOffMs) continue
      const instances = await store.db.query.instances.findMany({ where: (row, { eq }) => eq(row.folder, place.name) })
      for (const { id } of instances.filter((each) => missing.includes(each.id))) {
        const leases = await store.db.query.leases.findMany({ where: (row, { eq }) => eq(row.instance, id) })
        if (!(await closeInstance(store, id))) continue
        counts['write-offs'] += 1
        for (const { amount } of leases) heard.writtenOff += amount
      }
    }
  }
  for (let at = 0; at < activeMs; at += 500) world.clock.after(at, () => void world.alongside(sweep))
}
