/**
 * A few seeded minutes of several instances that share limits: requests, lost and late calls, crashes and new instances. Every admitted
 * request is recorded and checked independently. Start reading at `runRates`.
 */
import type { Bounded, Ticket } from '#billing/ratelimit/limits'
import { createSharedLimiter } from '#billing/ratelimit/shared-limits'
import { createLog } from '#runtime/log'
import type { Limits } from '#shared/console/limits'
import { GatewayError } from '#shared/errors'
import { type Seeded, seeded } from '#testing/seeded'
import { type StepClock, stepClock } from '#testing/step-clock'
import { createRateModel, type PlantedFaults } from './limit-model.ts'
import { type NetworkFaults, rateNetwork } from './limit-network.ts'

/** The result of one run. */
export interface RateRun {
  /** Broken invariants; empty if the run passed. */
  faults: string[]
  passed: number
  limited: number
  unavailable: number
}

/** A request that was admitted under one limit. */
interface Passed {
  at: number
  tokens: number
  instance: Instance
  running: boolean
}

interface Instance {
  name: string
  alive: boolean
  take(bounds: readonly Bounded[], tokens: number): Ticket | Promise<Ticket>
}

const minuteMs = 60_000
const runMs = 150_000

function drawLimits(random: Seeded): Limits | null {
  if (random.below(4) === 0) return null
  return {
    ...(random.below(3) > 0 && { rpm: 1 + random.below(40) }),
    ...(random.below(2) > 0 && { tpm: 200 + random.below(3000) }),
    ...(random.below(2) > 0 && { concurrency: 1 + random.below(8) }),
  }
}

function drawFaults(random: Seeded, clock: StepClock): NetworkFaults {
  const bad = random.pick([0, 0.03, 0.2])
  const slow = random.pick([2, 10, 40])
  return {
    delay: () => random.fraction() * slow,
    fate() {
      // The last minute has no faults, so that the state at rest can be checked.
      if (clock.monotonic() > runMs || random.fraction() >= bad) return 'answered'
      return random.pick(['lost', 'answer lost', 'late'])
    },
  }
}

/** Runs the schedule of this seed; the result lists every broken invariant. */
export async function runRates(seed: number, planted?: PlantedFaults): Promise<RateRun> {
  const random = seeded(seed)
  const clock = stepClock(random.fraction)
  const network = rateNetwork(clock, createRateModel(planted), drawFaults(random, clock))
  const run: RateRun = { faults: [], passed: 0, limited: 0, unavailable: 0 }
  const passed = new Map<string, Passed[]>()
  const worlds: Bounded[][] = Array.from({ length: 1 + random.below(3) }, (_, key) => [
    { id: `key:${key}`, limits: drawLimits(random) },
    { id: 'user:u', limits: null },
    { id: 'group:g', limits: null },
  ])
  const shared = [drawLimits(random), drawLimits(random)]
  for (const bounds of worlds)
    for (const [index, limits] of shared.entries()) bounds[index + 1] = { id: index === 0 ? 'user:u' : 'group:g', limits }

  let names = 0
  function join(): Instance {
    const { table, cut } = network.join()
    const name = `instance ${++names}`
    const chance = { fraction: random.fraction, hex: () => name, base62: () => name }
    const limiter = createSharedLimiter({ table, clock, random: chance, log: createLog('silent'), writeOffMs: 30_000 })
    const instance = { name, alive: true, take: limiter.take }
    if (names > 1 && random.below(3) === 0) {
      clock.after(random.below(runMs), () => {
        instance.alive = false
        cut(true)
        for (const one of [...passed.values()].flat()) if (one.instance === instance) one.running = false
        instances[instances.indexOf(instance)] = join()
      })
    }
    return instance
  }
  const instances: Instance[] = []
  for (let count = 1 + random.below(5); count > 0; count--) instances.push(join())

  function look({ id, limits }: Bounded, tokens: number): void {
    const all = passed.get(id) ?? []
    const lately = all.filter(({ at }) => at > clock.monotonic() - minuteMs)
    const running = all.filter((one) => one.running).length
    const before = lately.reduce((sum, one) => sum + one.tokens, 0)
    const { rpm, tpm, concurrency } = limits ?? {}
    if (rpm !== undefined && lately.length >= rpm) run.faults.push(`${id}: more than ${rpm} requests in a minute`)
    if (concurrency !== undefined && running >= concurrency) run.faults.push(`${id}: more than ${concurrency} requests at once`)
    if (tpm !== undefined && before + Math.min(tpm, tokens) > tpm)
      run.faults.push(`${id}: more than ${tpm} tokens in a minute: ${before} and ${tokens}`)
  }

  async function request(instance: Instance, bounds: readonly Bounded[], tokens: number, lastsMs: number, used: number): Promise<boolean> {
    let ticket: Ticket
    try {
      ticket = await instance.take(bounds, tokens)
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown
      if (thrown.code === 'rate_limit_exceeded') run.limited += 1
      else run.unavailable += 1
      return false
    }
    // The instance crashed in the meantime.
    if (!instance.alive) return false
    run.passed += 1
    for (const bound of bounds) look(bound, tokens)
    const own = bounds.map(({ id, limits }) => {
      const one: Passed = { at: clock.monotonic(), tokens: Math.min(limits?.tpm ?? tokens, tokens), instance, running: true }
      passed.set(id, [...(passed.get(id) ?? []), one])
      return one
    })
    clock.after(lastsMs, () => {
      if (!instance.alive) return
      for (const one of own) {
        one.running = false
        one.tokens = Math.min(one.tokens, used)
      }
      ticket.done(used)
    })
    return true
  }

  async function until(ms: number): Promise<void> {
    let reached = false
    clock.after(ms - clock.monotonic(), () => {
      reached = true
    })
    while (!reached) await clock.step()
  }

  let at = 0
  const pace = random.pick([20, 200, 2_000])
  for (let count = 0; at < runMs && count < 2_500; count++) {
    at += random.fraction() * pace * (random.below(20) === 0 ? 20 : 1)
    const tokens = 1 + random.below(400)
    const [bounds, which, lasts, used] = [
      worlds[random.below(worlds.length)] ?? [],
      random.below(instances.length),
      random.below(random.pick([50, 4_000, 20_000])),
      random.below(tokens + 1),
    ]
    clock.after(at, () => {
      const instance = instances[which]
      if (instance) void request(instance, bounds, tokens, lasts, used)
    })
  }
  await until(runMs + 20_000 + 2 * minuteMs)

  // At rest: of more concurrent requests than fit, spread over all instances, exactly as many pass as fit.
  const fitting = 5 + random.below(60)
  const each = 1 + random.below(90)
  const limits = random.pick<Limits>([{ rpm: fitting }, { concurrency: fitting }, { tpm: fitting * each + random.below(each) }])
  const all = Array.from({ length: 2 * fitting }, (_, n) => {
    const instance = instances[n % instances.length]
    return instance ? request(instance, [{ id: 'key:rest', limits }], each, 5_000, each) : false
  })
  await until(clock.monotonic() + 3_000)
  const through = (await Promise.all(all)).filter(Boolean).length
  if (through !== fitting) run.faults.push(`at rest ${through} of ${fitting} passed`)
  return run
}
