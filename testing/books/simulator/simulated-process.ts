/**
 * A simulated process: its clocks and its connection to the database. It can be paused, cut off, have its wall clock set, and be
 * killed: then nothing of it ever runs again, except calls that are already on their way to the database.
 */
import type { Clock } from '#runtime/clock'
import { sleeping } from '#testing/hand-clock'
import type { StepClock } from '#testing/step-clock'
import type { Weather } from './network-faults.ts'

export interface Process {
  readonly clock: Clock
  isAlive(): boolean
  /** How many calls to the database have no answer yet. */
  calls(): number
  /** Delivers one call (its SQL is `text`) to the database, or loses it, or loses its answer, or delivers it late. */
  carry<T>(call: () => Promise<T>, text?: string): Promise<T>
  /** Cuts the connection, or restores it. */
  cut(isCut: boolean): void
  /** Stops for so many milliseconds. `suspended`: the monotonic clock stands still, as when the machine sleeps. */
  pause(ms: number, suspended: boolean): void
  resume(): void
  /** Sets its wall clock forward, or back. */
  shift(ms: number): void
  kill(): void
}

/** The error of a lost connection. */
const connectionLost = (): Error => Object.assign(new Error('connection lost'), { code: '08006' })

/** `execute` runs a call, even if its sender has been killed meanwhile. */
export function createProcess(world: StepClock, weather: Weather, execute: <T>(call: () => Promise<T>) => Promise<T>): Process {
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
    const timer = world.after(ms, run)
    return {
      cancel() {
        cancelled = true
        timer.cancel()
      },
    }
  }

  const clock: Clock = {
    now: () => world.now() + shift,
    monotonic: () => world.monotonic() - slept,
    after,
    sleep: sleeping(after),
  }

  function resume(): void {
    if (!stopped) return
    stopped = false
    if (suspended) slept += world.monotonic() - since
    for (const run of missed.splice(0)) world.after(0, run)
  }

  /** No answer comes; after a while the connection is reported as lost. */
  async function silence(): Promise<never> {
    await clock.sleep(weather.silence())
    throw connectionLost()
  }

  async function way<T>(call: () => Promise<T>, text: string): Promise<T> {
    const fate = weather.fate(text)
    await world.sleep(weather.delay() + (fate === 'late' ? weather.late() : 0))
    if (fate === 'lost' || (isCut && fate !== 'late')) return silence()
    const [outcome] = await Promise.allSettled([execute(call)])
    await world.sleep(weather.delay())
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
      return way(call, text).finally(() => {
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
      since = world.monotonic()
      world.after(ms, resume)
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
