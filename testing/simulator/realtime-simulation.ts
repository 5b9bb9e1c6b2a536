/** A schedule of realtime sessions: real sessions, routing, prices and limits between simulated clients and upstreams. */

import { createLimiter } from '#billing/ratelimit/limits'
import { createBooking } from '#relay/realtime/booking'
import { createRealtime } from '#relay/realtime/realtime'
import { createHealth } from '#routing/health'
import { type Seeded, seeded } from '#testing/seeded'
import { type StepClock, stepClock } from '#testing/step-clock'
import { createLedger } from './books.ts'
import { drawInstallation } from './installation.ts'
import { partsOf } from './parts.ts'
import { createRealtimeClient, drawRealtimePlan, type RealtimeClient } from './realtime-client.ts'
import { createRealtimeNetwork } from './realtime-upstream.ts'
import { judgeSession } from './realtime-verdict.ts'
import { createRunLog, type RunLog } from './run-log.ts'
import { oneIn } from './script.ts'
import { watchHealth } from './watched-health.ts'
import { watchLimiter } from './watched-limiter.ts'

/** More steps than any schedule needs: each session's key is checked once a second. */
const mostSteps = 50_000
/** Milliseconds after the last client within which all activity must end. */
const restMs = 10_000
/** Milliseconds within which a session of a revoked key must end. */
const revokedMs = 5_000
/** Milliseconds after the first session at which the server shuts down. */
const shutMs = 400_000

function build(random: Seeded, clock: StepClock, log: RunLog) {
  const installation = drawInstallation(random, log)
  const ledger = createLedger({
    clock,
    random,
    log,
    // The hold for a session's response assumes a long one.
    balances: new Map([...installation.balances].map(([user, amount]) => [user, amount * 20n])),
    // A session's cost is not limited, but never exceeds its holds.
    ceiling: 10n ** 18n,
    slack: 0n,
    mayExceed: () => false,
    finished: () => false,
  })
  const health = watchHealth(createHealth(clock), clock, log)
  const limiter = watchLimiter(createLimiter(clock), clock, log)
  const settled = (requestId: string) => ledger.rows.has(requestId)
  const clients = Array.from({ length: 1 + random.below(5) }, (_, number) =>
    createRealtimeClient(drawRealtimePlan(random, number), { clock, random, log, settled }),
  )
  const network = createRealtimeNetwork({
    clock,
    random,
    log,
    faultRate: random.pick([0, 2, 5]),
    opened({ place, client, number }) {
      health.opening(place, 'm')
      log.check(!settled(client), `connection ${number} is opened after ${client} was settled`)
    },
  })
  const upstream = { open: async () => Promise.reject(new Error('realtime schedules send no HTTP requests')) }
  const parts = partsOf({ installation, clock, random, books: ledger, limiter, health, upstream })
  const ofSessions = {
    ...parts,
    large: { frame: () => Promise.reject(new Error('no frame of a schedule is large')) },
    sockets: network,
    demoSockets: network,
  }
  const realtime = createRealtime(ofSessions, createBooking(ofSessions))
  return { installation, ledger, health, limiter, clients, network, open: parts.open, realtime }
}

type System = ReturnType<typeof build>

function checkEnd({ ledger, health, limiter, clients, network, open, installation }: System, clock: StepClock, log: RunLog): void {
  log.check(clock.pending() === 0, `${clock.pending()} timers are still pending`)
  log.check(open.count === 0, `${open.count} sessions are still open`)
  log.check(open.streams === 0, `${open.streams} sessions still count as streams`)
  log.check(ledger.open() === 0, `${ledger.open()} holds are still open`)
  log.check(limiter.running() === 0, `${limiter.running()} requests still count as running`)
  log.check(health.admitted() === 0, `${health.admitted()} attempts were never reported as ended`)
  for (const { number, state } of network.connections)
    log.check(state === 'ended' || state === 'stopped', `connection ${number} is still ${state}`)
  const price = installation.prices.get('m')
  for (const client of clients) {
    const caller = client.caller()
    if (!caller || !price) continue
    const { requestId } = client.plan
    const connections = network.connections.filter((connection) => connection.client === requestId)
    judgeSession({ client, row: ledger.rows.get(requestId), connections, price, ratio: caller.group.ratio }, log)
  }
}

/** Plans the administrator's changes and the shutdown. */
function planChanges({ installation, clients, realtime }: System, random: Seeded, clock: StepClock, log: RunLog) {
  const revoked = new Map<object, number>()
  const change = () => {
    const caller = installation.change()
    if (caller) revoked.set(caller, clock.monotonic())
  }
  for (let changes = random.below(4); changes > 0; changes--) clock.after(random.pick([250, 1000, 6000, 31_000, 70_000]), change)
  clock.after(oneIn(random, 2) ? random.pick([1000, 6000, 31_000]) : shutMs, () => realtime.drain())
  clock.after(shutMs, () => void realtime.cut())
  return () => {
    for (const client of clients) {
      const since = revoked.get(client.caller() ?? {})
      const [openedAt, overAt] = [client.openedAt(), client.overAt()]
      if (since === undefined || openedAt === undefined || overAt === undefined) continue
      log.check(overAt - Math.max(since, openedAt) <= revokedMs, `${client.plan.requestId} outlives its key`)
    }
  }
}

/** Runs one schedule of realtime sessions to its end. Never rejects. */
export async function simulateRealtime(seed: number) {
  const random = seeded(seed)
  const clock = stepClock(random.fraction)
  const log = createRunLog(clock)
  const system = build(random, clock, log)
  const { installation, clients, ledger, realtime } = system
  let waiting = clients.length
  const plan = (client: RealtimeClient) => {
    const caller = installation.callers[random.below(installation.callers.length)]
    clock.after(client.plan.startsAt, () => {
      const asked = caller && installation.valid(caller) ? client.run(realtime, caller, installation.valid) : Promise.resolve()
      void asked.then(() => (waiting -= 1))
    })
  }
  clients.forEach(plan)
  const checkRevocations = planChanges(system, random, clock, log)

  let steps = 0
  let until = Number.POSITIVE_INFINITY
  for (; steps < mostSteps && (clock.next() ?? Number.POSITIVE_INFINITY) <= until; steps++) {
    if (!(await clock.step())) break
    ledger.check()
    if (waiting === 0 && until === Number.POSITIVE_INFINITY) until = Math.max(clock.monotonic(), shutMs) + restMs
  }
  log.check(steps < mostSteps, 'the schedule does not end')
  log.check(waiting === 0, `${waiting} clients never finished`)
  checkRevocations()
  checkEnd(system, clock, log)
  return { seed, faults: log.faults, lines: log.lines }
}
