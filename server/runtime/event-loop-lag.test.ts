import { expect, test } from 'bun:test'
import { createLagMeter } from './event-loop-lag.ts'

/** A clock whose timers come as late as the test says. */
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
    tick(lateMs: number) {
      now += 100 + lateMs
      work?.()
    },
    idle: () => work === undefined,
  }
}

test('timers that come in time are no lag', () => {
  const { clock, tick } = lateClock()
  const meter = createLagMeter(clock)
  for (let i = 0; i < 20; i++) tick(0)
  expect(meter.lag).toBe(0)
})

test('lag that lasts shows within a second, one long step hardly, and both are forgotten', () => {
  const { clock, tick } = lateClock()
  const meter = createLagMeter(clock)
  tick(1000)
  expect(meter.lag).toBeCloseTo(300)
  for (let i = 0; i < 10; i++) tick(1000)
  expect(meter.lag).toBeGreaterThan(950)
  for (let i = 0; i < 10; i++) tick(0)
  expect(meter.lag).toBeLessThan(50)
})

test('it ends', () => {
  const { clock, idle } = lateClock()
  createLagMeter(clock).stop()
  expect(idle()).toBe(true)
})
