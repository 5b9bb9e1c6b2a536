/** A schedule of realtime sessions: the real sessions, routing, prices and limits between simulated clients and upstreams. */
import { createLimiter } from '#billing/ratelimit/limits'
import { createRealtime } from '#relay/realtime/realtime'
import { createHealth } from '#routing/health'
import { type Seeded, seeded } from '#testing/seeded'
import { type StepClock, stepClock } from '#testing/step-clock'
import { createLedger } from './books.ts'
import { createJournal, type Journal } from './journal.ts'
import { partsOf } from './parts.ts'
import { oneIn } from './script.ts'
import { createTalk, drawTalk, type Talk } from './talk.ts'
import { createTalkNetwork } from './talk-upstream.ts'
import { judgeTalk } from './talk-verdict.ts'
import { watchHealth } from './watched-health.ts'
import { watchLimiter } from './watched-limiter.ts'
import { drawWorld } from './world.ts'

/** More steps than any schedule needs: each session is looked at once a second. */
const mostSteps = 50_000
/** Milliseconds after the last client in which everything must have come to rest. */
const restMs = 10_000
/** Milliseconds in which a session of a revoked key ends. */
const revokedMs = 5_000
/** Milliseconds after the first session when the house is shut. */
const shutMs = 400_000

function build(random: Seeded, clock: StepClock, journal: Journal) {
  const world = drawWorld(random, journal)
  const ledger = createLedger({
    clock,
    random,
    journal,
    // One response of a session is held for as if it were long.
    balances: new Map([...world.balances].map(([user, amount]) => [user, amount * 20n])),
    // A session may come to anything, but never to more than it holds.
    ceiling: 10n ** 18n,
    slack: 0n,
    mayExceed: () => false,
    finished: () => false,
  })
  const health = watchHealth(createHealth(clock), clock, journal)
  const limiter = watchLimiter(createLimiter(clock), clock, journal)
  const settled = (requestId: string) => ledger.rows.has(requestId)
  const talks = Array.from({ length: 1 + random.below(5) }, (_, number) =>
    createTalk(drawTalk(random, number), { clock, random, journal, settled }),
  )
  const network = createTalkNetwork({
    clock,
    random,
    journal,
    mood: random.pick([0, 2, 5]),
    opened({ place, talk, number }) {
      health.opening(place, 'm')
      journal.holds(!settled(talk), `line ${number} is dialled after ${talk} was settled`)
    },
  })
  const upstream = { open: async () => Promise.reject(new Error('nobody asks here')) }
  const parts = partsOf({ world, clock, random, books: ledger, limiter, health, upstream })
  const realtime = createRealtime({ ...parts, sockets: network, demoSockets: network })
  return { world, ledger, health, limiter, talks, network, realtime }
}

type ConsoleServices = ReturnType<typeof build>

function lookBack({ ledger, health, limiter, talks, network, realtime, world }: ConsoleServices, clock: StepClock, journal: Journal): void {
  journal.holds(clock.pending() === 0, `${clock.pending()} timers are left`)
  journal.holds(realtime.open() === 0, `${realtime.open()} sessions are open`)
  journal.holds(ledger.open() === 0, `${ledger.open()} holds are open`)
  journal.holds(limiter.running() === 0, `${limiter.running()} places under limits are taken`)
  journal.holds(health.admitted() === 0, `${health.admitted()} attempts never ended`)
  for (const { number, state } of network.lines) journal.holds(state === 'ended' || state === 'stopped', `line ${number} is still ${state}`)
  const price = world.prices.get('m')
  for (const talk of talks) {
    const caller = talk.caller()
    if (!caller || !price) continue
    const { requestId } = talk.plan
    const lines = network.lines.filter((line) => line.talk === requestId)
    judgeTalk({ talk, row: ledger.rows.get(requestId), lines, price, ratio: caller.group.ratio }, journal)
  }
}

/** What an administrator does meanwhile, and at last the house is shut. */
function meddle({ world, talks, realtime }: ConsoleServices, random: Seeded, clock: StepClock, journal: Journal) {
  const revoked = new Map<object, number>()
  const change = () => {
    const caller = world.change()
    if (caller) revoked.set(caller, clock.monotonic())
  }
  for (let changes = random.below(4); changes > 0; changes--) clock.after(random.pick([250, 1000, 6000, 31_000, 70_000]), change)
  clock.after(oneIn(random, 2) ? random.pick([1000, 6000, 31_000]) : shutMs, () => realtime.drain())
  clock.after(shutMs, () => void realtime.cut())
  return () => {
    for (const talk of talks) {
      const since = revoked.get(talk.caller() ?? {})
      const [openedAt, overAt] = [talk.openedAt(), talk.overAt()]
      if (since === undefined || openedAt === undefined || overAt === undefined) continue
      journal.holds(overAt - Math.max(since, openedAt) <= revokedMs, `${talk.plan.requestId} outlives its key`)
    }
  }
}

/** Runs one schedule to its end. Never rejects. */
export async function simulateTalks(seed: number) {
  const random = seeded(seed)
  const clock = stepClock(random.fraction)
  const journal = createJournal(clock)
  const house = build(random, clock, journal)
  const { world, talks, ledger, realtime } = house
  let waiting = talks.length
  const begin = (talk: Talk) => {
    const caller = world.callers[random.below(world.callers.length)]
    clock.after(talk.plan.startsAt, () => {
      const asked = caller && world.valid(caller) ? talk.run(realtime, caller, world.valid) : Promise.resolve()
      void asked.then(() => (waiting -= 1))
    })
  }
  talks.forEach(begin)
  const lookAtKeys = meddle(house, random, clock, journal)

  let steps = 0
  let until = Number.POSITIVE_INFINITY
  for (; steps < mostSteps && (clock.next() ?? Number.POSITIVE_INFINITY) <= until; steps++) {
    if (!(await clock.step())) break
    ledger.check()
    if (waiting === 0 && until === Number.POSITIVE_INFINITY) until = Math.max(clock.monotonic(), shutMs) + restMs
  }
  journal.holds(steps < mostSteps, 'the schedule does not come to an end')
  journal.holds(waiting === 0, `${waiting} clients wait for ever`)
  lookAtKeys()
  lookBack(house, clock, journal)
  return { seed, faults: journal.faults, lines: journal.lines }
}
