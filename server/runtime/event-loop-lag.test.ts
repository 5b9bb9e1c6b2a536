import { expect, test } from 'bun:test'
import { handClock } from '#testing/hand-clock'
import { createLagMeter } from './event-loop-lag.ts'

/** A clock whose timers fire when the test says. */
function lateClock() {
  let now = 0
  let work: (() => void) | undefined
  const clock = {
    monotonic: () => now,
    after(_ms: number, next: () => void) {
      work = next
      return { cancel: () => (work = undefined) }
    },
  }
  return {
    clock,
    /** Time passes without timers firing. */
    work: (ms: number) => {
      now += ms
    },
    timer: () => work?.(),
    idle: () => work === undefined,
  }
}

/** How many of `count` requests are accepted, each with a millisecond of work. */
function taken(count: number, work: (ms: number) => void, isTooMuch: () => boolean): number {
  let served = 0
  for (let n = 0; n < count; n += 1) {
    if (isTooMuch()) continue
    served += 1
    work(1)
  }
  return served
}

test('a loop that is in time takes everything', () => {
  const { clock, work, timer } = lateClock()
  const meter = createLagMeter(clock, 100)
  for (let turn = 0; turn < 1_000; turn += 1) {
    expect(taken(50, work, meter.isTooMuch)).toBe(50)
    timer()
  }
})

test('neither one long task nor a burst causes refusals', () => {
  const { clock, work, timer } = lateClock()
  const meter = createLagMeter(clock, 100)
  work(5_000)
  expect(meter.isTooMuch()).toBe(false)
  timer()
  expect(taken(1_500, work, meter.isTooMuch)).toBe(1_500)
})

test('load that lasts is refused beyond what the loop can do in time, until it has caught up', () => {
  const { clock, work, timer } = lateClock()
  const meter = createLagMeter(clock, 100)
  // 120 milliseconds on time, and the burst.
  expect(taken(10_000, work, meter.isTooMuch)).toBe(120 + 2_000)
  timer()
  // Each turn accepts what it can handle in time.
  for (let turn = 0; turn < 20; turn += 1) {
    expect(taken(10_000, work, meter.isTooMuch)).toBe(121)
    timer()
  }
  for (let turn = 0; turn < 10; turn += 1) {
    work(20)
    timer()
  }
  expect(taken(1_500, work, meter.isTooMuch)).toBe(1_500)
})

test('a loop that is in time is behind as well while requests wait for their turn', () => {
  const { clock, work, timer } = lateClock()
  const meter = createLagMeter(clock, 100)
  let waiting = 0
  let most = 0
  /** Ten requests arrive per millisecond, and one begins. */
  function flood(milliseconds: number): number {
    let refused = 0
    for (let ms = 1; ms <= milliseconds; ms += 1) {
      for (let n = 0; n < 10; n += 1) {
        if (meter.isTooMuch(waiting)) refused += 1
        else waiting += 1
      }
      most = Math.max(most, waiting)
      work(1)
      waiting = Math.max(0, waiting - 1)
      if (ms % 20 === 0) timer()
    }
    return refused
  }
  flood(4_000)
  // Those that arrived before the wait became too long, and the burst.
  expect(most).toBeLessThan(120 + 2_000)
  most = 0
  // After that hardly any request waits.
  expect(flood(2_000)).toBeGreaterThan(17_000)
  expect(most).toBeLessThan(20)
})

test('a loop that a flood of refusals keeps from its timers takes a few all the same', () => {
  const { clock, work } = lateClock()
  const meter = createLagMeter(clock, 100)
  work(1_000)
  for (let n = 0; n < 2_000; n += 1) meter.isTooMuch(50)
  expect([meter.isTooMuch(50), meter.isTooMuch(6), meter.isTooMuch(2), meter.isTooMuch()]).toEqual([true, true, false, true])
})

test('overload ends when nothing waits: the usual wait is no reason to refuse then', () => {
  const { clock, work, timer } = lateClock()
  const meter = createLagMeter(clock, 100)
  for (let n = 0; n < 2_000; n += 1) meter.isTooMuch(150)
  const turn = (waitMs: number) => {
    const refused = meter.isTooMuch(waitMs)
    work(20)
    timer()
    return refused
  }
  expect([turn(150), turn(30), turn(30), turn(2), turn(30), turn(30)]).toEqual([true, true, true, false, false, false])
})

test('it ends', () => {
  const { clock, idle } = lateClock()
  createLagMeter(clock, 100).stop()
  expect(idle()).toBe(true)
})

test('it wakes seldom while nothing is asked, and often again with the first request', async () => {
  const clock = handClock()
  let planned = 0
  const counted = {
    monotonic: clock.monotonic,
    after(ms: number, next: () => void) {
      planned += 1
      return clock.after(ms, next)
    },
  }
  const meter = createLagMeter(counted, 100)
  await clock.advance(10_000)
  expect(planned).toBeLessThan(45)
  const before = planned
  for (let turn = 0; turn < 100; turn++) {
    expect(meter.isTooMuch()).toBe(false)
    await clock.advance(20)
  }
  expect(planned - before).toBeGreaterThan(95)
  expect(clock.pending()).toBe(1)
  expect(meter.takeWorst()).toBe(0)
  meter.stop()
  expect(clock.pending()).toBe(0)
})
