/**
 * The whole house in one process and without time: the real relay, routing, codecs, prices and limits between simulated
 * clients, upstreams, books and a clock that jumps. A seed is a schedule; the same seed is the same schedule. After every step
 * the invariants are looked at. Start reading at `simulateRequests`; `verdict.ts` says what must be true of one request. Realtime
 * sessions have schedules of their own: `talk-simulation.ts`.
 */
import { createLimiter } from '#billing/ratelimit/limits'
import { createRelay } from '#relay/relay'
import { createHealth } from '#routing/health'
import { defaultRetry } from '#routing/retry'
import { GatewayError } from '#shared/errors'
import { type Seeded, seeded } from '#testing/seeded'
import { type StepClock, stepClock } from '#testing/step-clock'
import { type Attempt, isWild } from './attempt.ts'
import { createLedger } from './books.ts'
import { type Client, createClient, drawPlan } from './client.ts'
import { createJournal, type Journal } from './journal.ts'
import { heartbeatMs, partsOf } from './parts.ts'
import { oneIn } from './script.ts'
import { judgeModel } from './stand-ins.ts'
import { simulateTalks } from './talk-simulation.ts'
import { createNetwork } from './upstream.ts'
import { boundsOf, judge } from './verdict.ts'
import { watchHealth } from './watched-health.ts'
import { watchLimiter } from './watched-limiter.ts'
import { drawWorld } from './world.ts'

export interface Outcome {
  seed: number
  /** Broken invariants; empty when all is well. */
  faults: readonly string[]
  /** What happened, in order. */
  lines: readonly string[]
}

/** More steps than any schedule needs. */
const mostSteps = 5_000
/** Milliseconds after the last client in which everything must have come to rest. */
const restMs = 10_000

function build(random: Seeded, clock: StepClock, journal: Journal) {
  const world = drawWorld(random, journal)
  // Long answers use up what money and limits there are, so that little else happens.
  const talkative = oneIn(random, 4)
  const clients: Client[] = Array.from({ length: 1 + random.below(9) }, (_, number) =>
    createClient(drawPlan(random, number, { talkative, singly: world.paintsSingly }), { clock, random, journal, heartbeatMs }),
  )
  const attemptsOf = (number: number) => network.attempts.filter(({ request }) => request === number)
  const ofRequest = (id: string) => attemptsOf(clients.findIndex(({ requestId }) => requestId === id))
  const ledger = createLedger({
    clock,
    random,
    journal,
    balances: world.balances,
    ...boundsOf(world.prices),
    mayExceed: (requestId) => ofRequest(requestId).some(isWild),
    finished: (requestId) => ofRequest(requestId).at(-1)?.gaveFinish === true,
  })
  const health = watchHealth(createHealth(clock), clock, journal)
  const limiter = watchLimiter(createLimiter(clock), clock, journal)

  /** An attempt begins: may it? */
  function opened(attempt: Attempt): void {
    const { request, place, number, model } = attempt
    const client = clients[request]
    if (!client) {
      journal.broken(`attempt ${number} belongs to nobody`)
      return
    }
    health.opening(place, model)
    journal.holds(!client.ended(), `attempt ${number} is made for ${client.requestId}, who has left`)
    journal.holds(!ledger.rows.has(client.requestId), `attempt ${number} is made after ${client.requestId} was settled`)
    journal.holds(!client.heard().includes('<'), `attempt ${number} is made after ${client.requestId} has heard words`)
    const made = attemptsOf(request)
    const same = made.filter((one) => one.model === model)
    journal.holds(same.length <= defaultRetry.retries + 1, `${client.requestId} has ${same.length} attempts on ${model}`)
    const places = new Set(same.map((one) => one.place))
    journal.holds(same.length - places.size <= 1, `${client.requestId} repeats more than once`)
    judgeModel(client, made.slice(0, -1), attempt, world.fallbacks, journal)
  }

  const network = createNetwork({ clock, random, journal, mood: random.pick([0, 2, 5, 9]), opened })
  const parts = partsOf({ world, clock, random, books: ledger, limiter, health, upstream: network })
  return { world, clients, ledger, health, limiter, network, attemptsOf, relay: createRelay(parts) }
}

type ConsoleServices = ReturnType<typeof build>

/** What must hold between any two steps. */
function look({ ledger, clients, attemptsOf }: ConsoleServices, journal: Journal): void {
  ledger.check()
  for (const client of clients) {
    // A complete answer's connection is read to its end although the client is gone.
    if (!client.ended() || ledger.rows.get(client.requestId)?.error === null) continue
    for (const { state, number, gaveFinish } of attemptsOf(client.plan.number)) {
      // Who may not go on still gets the end of an answer that is complete.
      journal.holds(state !== 'open' || (gaveFinish && !client.gone()), `attempt ${number} goes on although ${client.requestId} has left`)
    }
  }
}

/** What must hold when everybody has gone home. */
function lookBack(house: ConsoleServices, clock: StepClock, journal: Journal): void {
  const { relay, ledger, limiter, health, network, clients, world, attemptsOf } = house
  journal.holds(clock.pending() === 0, `${clock.pending()} timers are left`)
  journal.holds(relay.open() === 0, `${relay.open()} requests are open`)
  journal.holds(ledger.open() === 0, `${ledger.open()} holds are open`)
  journal.holds(limiter.running() === 0, `${limiter.running()} places under limits are taken`)
  journal.holds(health.admitted() === 0, `${health.admitted()} attempts never ended`)
  for (const { number, state } of network.attempts) journal.holds(state !== 'open', `attempt ${number} is still open`)
  for (const client of clients) {
    if (!client.told()) continue
    const ratio = world.callers[0]?.group.ratio ?? 0n
    const { prices } = world
    judge({ client, row: ledger.rows.get(client.requestId), attempts: attemptsOf(client.plan.number), prices, ratio }, journal)
  }
}

async function simulateRequests(seed: number): Promise<Outcome> {
  const random = seeded(seed)
  const clock = stepClock(random.fraction)
  const journal = createJournal(clock)
  const house = build(random, clock, journal)
  const { world, clients, relay } = house
  let waiting = clients.length
  for (const client of clients) {
    const caller = world.callers[random.below(world.callers.length)]
    clock.after(client.plan.startsAt, () => {
      const asked = caller && world.valid(caller) ? client.run(relay, caller) : Promise.resolve()
      void asked.then(() => (waiting -= 1))
    })
  }
  const change = () => {
    const revoked = world.change()
    const error = new GatewayError('invalid_api_key', 'The key was revoked.')
    for (const client of clients) if (revoked && client.caller() === revoked) client.end()
    relay.end((caller) => (caller === revoked ? error : undefined))
  }
  const changes = Array.from({ length: random.below(4) }, () => clock.after(random.pick([0, 250, 1000, 6000, 31_000]), change))

  let steps = 0
  let until = Number.POSITIVE_INFINITY
  for (; steps < mostSteps && (clock.next() ?? Number.POSITIVE_INFINITY) <= until; steps++) {
    if (!(await clock.step())) break
    look(house, journal)
    if (waiting === 0 && until === Number.POSITIVE_INFINITY) until = clock.monotonic() + restMs
  }
  for (const planned of changes) planned.cancel()
  journal.holds(steps < mostSteps, 'the schedule does not come to an end')
  journal.holds(waiting === 0, `${waiting} clients wait for ever`)
  lookBack(house, clock, journal)
  return { seed, faults: journal.faults, lines: journal.lines }
}

/** Runs a schedule of requests and one of realtime sessions to their ends. Never rejects. */
export async function simulate(seed: number): Promise<Outcome> {
  const [requests, talks] = [await simulateRequests(seed), await simulateTalks(seed)]
  return { seed, faults: [...requests.faults, ...talks.faults], lines: [...requests.lines, ...talks.lines] }
}
