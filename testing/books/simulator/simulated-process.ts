/**
 * A simulated process: its clocks and its connection to the database. It can be paused, disconnected, have its wall clock changed, and be
 * killed: nothing of it runs after that, except calls already on their transfer to the database.
 */
import type { Clock } from '#runtime/clock'
import { sleeping } from '#testing/hand-clock'
import type { StepClock } from '#testing/step-clock'
import type { Network } from './network-faults.ts'

/** A simulated process. */
export interface Process {
  readonly clock: Clock
  isAlive(): boolean
  /** Number of database calls without an answer yet. */
  calls(): number
  /** Sends one call (with the SQL `text`) to the database, subject to the network's faults. */
  carry<T>(call: () => Promise<T>, text?: string): Promise<T>
  /** Cuts the connection, or restores it. */
  cut(isCut: boolean): void
  /** Stops for this many milliseconds. `suspended`: the monotonic clock stops too, as when the machine sleeps. */
  pause(ms: number, suspended: boolean): void
  resume(): void
  /** Moves its wall clock forward or back. */
  shift(ms: number): void
  kill(): void
}

/** The error of a lost connection. */
const connectionLost = (): Error => Object.assign(new Error('connection lost'), { code: '08006' })

/** Creates a process. `execute` runs a call even if the process has been killed since it was sent. */
export function createProcess(sharedClock: StepClock, network: Network, execute: <T>(call: () => Promise<T>) => Promise<T>): Process {
  let [alive, isCut, stopped, suspended] = [true, false, false, false]
  let [shift, slept, since, calls] = [0, 0, 0, 0]
  let missed: (() => void)[] = []

  function after(ms: number, work: () => void) {
    let cancelled = false
    const run = () => {
      if (cancelled || !alive) return
      if (stopped) missed.push(run)
      else work()
    }
    const timer = sharedClock.after(ms, run)
    return {
      cancel() {
        cancelled = true
        timer.cancel()
      },
    }
  }

  const clock: Clock = {
    now: () => sharedClock.now() + shift,
    monotonic: () => sharedClock.monotonic() - slept,
    after,
    sleep: sleeping(after),
  }

  function resume(): void {
    if (!stopped) return
    stopped = false
    if (suspended) slept += sharedClock.monotonic() - since
    for (const run of missed.splice(0)) sharedClock.after(0, run)
  }

  /** There is no answer; after a while the connection is reported as lost. */
  async function silence(): Promise<never> {
    await clock.sleep(network.silence())
    throw connectionLost()
  }

  async function transfer<T>(call: () => Promise<T>, text: string): Promise<T> {
    const fate = network.fate(text)
    await sharedClock.sleep(network.delay() + (fate === 'late' ? network.late() : 0))
    if (fate === 'lost' || (isCut && fate !== 'late')) return silence()
    const [outcome] = await Promise.allSettled([execute(call)])
    await sharedClock.sleep(network.delay())
    if (fate === 'answer lost' || isCut) return silence()
    await clock.sleep(0)
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }

  return {
    clock,
    isAlive: () => alive,
    calls: () => calls,
    carry(call, text = '') {
      calls += 1
      return transfer(call, text).finally(() => {
        calls -= 1
      })
    },
    cut(now) {
      isCut = now
    },
    pause(ms, asleep) {
      if (stopped) return
      stopped = true
      suspended = asleep
      since = sharedClock.monotonic()
      sharedClock.after(ms, resume)
    },
    resume,
    shift(ms) {
      shift += ms
    },
    kill() {
      alive = false
      missed = []
    },
  }
}
