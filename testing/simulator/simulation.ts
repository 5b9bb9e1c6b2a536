/**
 * Runs the real relay, routing, codecs, prices and limits in one process on a simulated clock, between simulated clients, upstreams and
 * books. A seed determines the schedule. Invariants are checked after every step. Start reading at `simulateRequests`; `verdict.ts` states
 * what must hold for one request. Realtime sessions have schedules of their own: `realtime-simulation.ts`.
 */
import { createLimiter } from '#billing/ratelimit/limits'
import { createRelay } from '#relay/relay'
import { createHealth } from '#routing/health'
import { defaultRetry } from '#routing/retry'
import { GatewayError } from '#shared/errors'
import { type Seeded, seeded } from '#testing/seeded'
import { type StepClock, stepClock } from '#testing/step-clock'
import { type Attempt, hasImplausibleUsage } from './attempt.ts'
import { createLedger } from './books.ts'
import { type Client, createClient, drawPlan } from './client.ts'
import { checkFallback } from './fallback-rules.ts'
import { drawInstallation } from './installation.ts'
import { heartbeatMs, partsOf } from './parts.ts'
import { simulateRealtime } from './realtime-simulation.ts'
import { createRunLog, type RunLog } from './run-log.ts'
import { oneIn } from './script.ts'
import { createNetwork } from './upstream.ts'
import { boundsOf, judge } from './verdict.ts'
import { watchHealth } from './watched-health.ts'
import { watchLimiter } from './watched-limiter.ts'

/** The result of one schedule. */
export interface Outcome {
  seed: number
  /** Broken invariants; empty if the schedule passed. */
  faults: readonly string[]
  /** The log, in order. */
  lines: readonly string[]
}

/** More steps than any schedule needs. */
const mostSteps = 5_000
/** Milliseconds after the last client within which all activity must end. */
const restMs = 10_000

function build(random: Seeded, clock: StepClock, log: RunLog) {
  const installation = drawInstallation(random, log)
  // Long answers exhaust balances and limits quickly, so only some schedules have many.
  const talkative = oneIn(random, 4)
  const clients: Client[] = Array.from({ length: 1 + random.below(9) }, (_, number) =>
    createClient(drawPlan(random, number, { talkative, oneImageOnly: installation.hasSingleImageUpstream }), {
      clock,
      random,
      log,
      heartbeatMs,
    }),
  )
  const attemptsOf = (number: number) => network.attempts.filter(({ request }) => request === number)
  const ofRequest = (id: string) => attemptsOf(clients.findIndex(({ requestId }) => requestId === id))
  const ledger = createLedger({
    clock,
    random,
    log,
    balances: installation.balances,
    ...boundsOf(installation.prices),
    mayExceed: (requestId) => ofRequest(requestId).some(hasImplausibleUsage),
    finished: (requestId) => ofRequest(requestId).at(-1)?.gaveFinish === true,
  })
  const health = watchHealth(createHealth(clock), clock, log)
  const limiter = watchLimiter(createLimiter(clock), clock, log)

  /** Checks that a new attempt is allowed. */
  function opened(attempt: Attempt): void {
    const { request, place, number, model } = attempt
    const client = clients[request]
    if (!client) {
      log.fail(`attempt ${number} belongs to no client`)
      return
    }
    health.opening(place, model)
    log.check(!client.ended(), `attempt ${number} is made for ${client.requestId}, which has left`)
    log.check(!ledger.rows.has(client.requestId), `attempt ${number} is made after ${client.requestId} was settled`)
    log.check(!client.text().includes('<'), `attempt ${number} is made after ${client.requestId} received text`)
    const made = attemptsOf(request)
    const same = made.filter((one) => one.model === model)
    log.check(same.length <= defaultRetry.retries + 1, `${client.requestId} has ${same.length} attempts on ${model}`)
    const places = new Set(same.map((one) => one.place))
    log.check(same.length - places.size <= 1, `${client.requestId} retries a key more than once`)
    checkFallback(client, made.slice(0, -1), attempt, installation.fallbacks, log)
  }

  const network = createNetwork({ clock, random, log, faultRate: random.pick([0, 2, 5, 9]), opened })
  const parts = partsOf({ installation, clock, random, books: ledger, limiter, health, upstream: network })
  return { installation, clients, ledger, health, limiter, network, attemptsOf, open: parts.open, relay: createRelay(parts) }
}

type System = ReturnType<typeof build>

/** Checks what must hold between any two steps. */
function checkStep({ ledger, clients, attemptsOf }: System, log: RunLog): void {
  ledger.check()
  for (const client of clients) {
    // A complete answer is read to the end of its connection even if the client has disconnected.
    if (!client.ended() || ledger.rows.get(client.requestId)?.error === null) continue
    for (const { state, number, gaveFinish, gaveAll } of attemptsOf(client.plan.number)) {
      // A client with a revoked key still receives the rest of an answer that has finished. A client that leaves a whole answer pays for
      // it, and the connection of a stream that ended is still read while it is being settled.
      const mayGoOn = client.gone() ? gaveAll || !client.plan.stream : gaveFinish
      log.check(state !== 'open' || mayGoOn, `attempt ${number} goes on although ${client.requestId} has left`)
    }
  }
}

/** Checks what must hold at the end of the schedule. */
function checkEnd(system: System, clock: StepClock, log: RunLog): void {
  const { open, ledger, limiter, health, network, clients, installation, attemptsOf } = system
  log.check(clock.pending() === 0, `${clock.pending()} timers are still pending`)
  log.check(open.count === 0, `${open.count} requests are still open`)
  log.check(open.streams === 0, `${open.streams} streams are still open`)
  log.check(ledger.open() === 0, `${ledger.open()} holds are still open`)
  log.check(limiter.running() === 0, `${limiter.running()} requests still count as running`)
  log.check(health.admitted() === 0, `${health.admitted()} attempts were never reported as ended`)
  for (const { number, state } of network.attempts) log.check(state !== 'open', `attempt ${number} is still open`)
  for (const client of clients) {
    if (!client.result()) continue
    const ratio = installation.callers[0]?.group.ratio ?? 0n
    const { prices } = installation
    judge({ client, row: ledger.rows.get(client.requestId), attempts: attemptsOf(client.plan.number), prices, ratio }, log)
  }
}

async function simulateRequests(seed: number): Promise<Outcome> {
  const random = seeded(seed)
  const clock = stepClock(random.fraction)
  const log = createRunLog(clock)
  const system = build(random, clock, log)
  const { installation, clients, relay } = system
  let waiting = clients.length
  for (const client of clients) {
    const caller = installation.callers[random.below(installation.callers.length)]
    clock.after(client.plan.startsAt, () => {
      const asked = caller && installation.valid(caller) ? client.run(relay, caller) : Promise.resolve()
      void asked.then(() => (waiting -= 1))
    })
  }
  const change = () => {
    const revoked = installation.change()
    const error = new GatewayError('invalid_api_key', 'The key was revoked.')
    for (const client of clients) if (revoked && client.caller() === revoked) client.end()
    relay.end((caller) => (caller === revoked ? error : undefined))
  }
  const changes = Array.from({ length: random.below(4) }, () => clock.after(random.pick([0, 250, 1000, 6000, 31_000]), change))

  let steps = 0
  let until = Number.POSITIVE_INFINITY
  for (; steps < mostSteps && (clock.next() ?? Number.POSITIVE_INFINITY) <= until; steps++) {
    if (!(await clock.step())) break
    checkStep(system, log)
    if (waiting === 0 && until === Number.POSITIVE_INFINITY) until = clock.monotonic() + restMs
  }
  for (const planned of changes) planned.cancel()
  log.check(steps < mostSteps, 'the schedule does not end')
  log.check(waiting === 0, `${waiting} clients never received an answer`)
  checkEnd(system, clock, log)
  return { seed, faults: log.faults, lines: log.lines }
}

/** Runs a schedule of requests and one of realtime sessions to their ends. Never rejects. */
export async function simulate(seed: number): Promise<Outcome> {
  const [requests, talks] = [await simulateRequests(seed), await simulateRealtime(seed)]
  return { seed, faults: [...requests.faults, ...talks.faults], lines: [...requests.lines, ...talks.lines] }
}
