import { expect, test } from 'bun:test'
import { handClock } from '#testing/hand-clock'
import { defaultLimits, phaseLimits, phaseTimer, streamLimits } from './timeouts.ts'

const limits = { connect: 10_000, firstEvent: 60_000, betweenEvents: 120_000, total: 600_000 }

test('limits are seconds with defaults', () => {
  expect(phaseLimits({})).toEqual(defaultLimits)
  expect(phaseLimits({ firstEvent: 0.5, total: undefined })).toEqual({ ...defaultLimits, firstEvent: 500 })
})

test('no connection: aborts at the limit of its own and not before; a connection ends that phase', async () => {
  const clock = handClock()
  const [never, slow] = [phaseTimer(clock, limits), phaseTimer(clock, limits)]
  await clock.advance(9_999)
  expect(never.signal.aborted).toBe(false)
  slow.connected()
  slow.connected()
  await clock.advance(1)
  expect(never.signal.reason).toMatchObject({ code: 'upstream_timeout', status: 504, message: expect.stringContaining('Connecting') })
  await clock.advance(40_000)
  expect(slow.signal.aborted).toBe(false)
  slow.stop()
  expect(clock.pending()).toBe(0)
})

test('no first event: aborts at the limit and not before, whatever bytes arrive', async () => {
  const clock = handClock()
  const timer = phaseTimer(clock, limits)
  timer.connected()
  await clock.advance(59_999)
  timer.touch()
  expect(timer.signal.aborted).toBe(false)
  await clock.advance(1)
  expect(timer.signal.reason).toMatchObject({ code: 'upstream_timeout', status: 504 })
  expect(clock.pending()).toBe(0)
})

test('a stream whose upstream works on it may think for ten minutes, unless the channel says how long', async () => {
  const clock = handClock()
  const [silent, pings, thinks, brief] = [
    phaseTimer(clock, streamLimits({}, false)),
    phaseTimer(clock, streamLimits({}, false)),
    phaseTimer(clock, streamLimits({}, true)),
    phaseTimer(clock, streamLimits({ firstEvent: 70 }, true)),
  ]
  const mute = phaseTimer(clock, streamLimits({}, true))
  for (const timer of [silent, pings, thinks, brief, mute]) timer.connected()
  for (const timer of [silent, pings, thinks, brief]) timer.answered()
  for (const timer of [pings, brief]) timer.works()
  await clock.advance(60_000)
  expect([silent, pings, thinks, brief, mute].map(({ signal }) => signal.aborted)).toEqual([true, false, false, false, true])
  await clock.advance(10_000)
  expect(brief.signal.reason).toMatchObject({ code: 'upstream_timeout' })
  await clock.advance(529_999)
  expect([pings, thinks].map(({ signal }) => signal.aborted)).toEqual([false, false])
  thinks.begin()
  await clock.advance(1)
  expect([pings, thinks].map(({ signal }) => signal.aborted)).toEqual([true, false])
  thinks.stop()
  expect(clock.pending()).toBe(0)
})

test('after the first event only silence counts', async () => {
  const clock = handClock()
  const timer = phaseTimer(clock, limits)
  timer.connected()
  await clock.advance(50_000)
  timer.begin()
  for (let i = 0; i < 4; i++) {
    await clock.advance(119_999)
    timer.touch()
  }
  expect(timer.signal.aborted).toBe(false)
  timer.begin()
  await clock.advance(30_000)
  expect(timer.signal.aborted).toBe(false)
  timer.stop()
})

test('silence between events aborts 120 s after the last piece', async () => {
  const clock = handClock()
  const timer = phaseTimer(clock, limits)
  timer.begin()
  await clock.advance(100_000)
  timer.touch()
  await clock.advance(119_999)
  expect(timer.signal.aborted).toBe(false)
  await clock.advance(1)
  expect(timer.signal.reason).toMatchObject({ code: 'upstream_timeout' })
  expect(clock.pending()).toBe(0)
})

test('a slow client is not the upstream’s silence', async () => {
  const clock = handClock()
  const timer = phaseTimer(clock, limits)
  timer.begin()
  timer.pause()
  await clock.advance(400_000)
  expect(timer.signal.aborted).toBe(false)
  timer.touch()
  await clock.advance(119_999)
  expect(timer.signal.aborted).toBe(false)
  await clock.advance(1)
  expect(timer.signal.aborted).toBe(true)
})

test('the total holds also while events keep coming and while paused', async () => {
  const clock = handClock()
  const timer = phaseTimer(clock, limits)
  timer.begin()
  for (let passed = 0; passed < 599_000; passed += 1000) {
    await clock.advance(1000)
    timer.touch()
  }
  timer.pause()
  expect(timer.signal.aborted).toBe(false)
  await clock.advance(1000)
  expect(timer.signal.reason).toMatchObject({ code: 'upstream_timeout' })
  expect(clock.pending()).toBe(0)
})

test('stop leaves nothing behind, and begin after an abort starts nothing', async () => {
  const clock = handClock()
  const stopped = phaseTimer(clock, limits)
  stopped.stop()
  stopped.begin()
  expect(clock.pending()).toBe(0)
  const expired = phaseTimer(clock, limits)
  await clock.advance(60_000)
  expired.begin()
  expect(clock.pending()).toBe(0)
  await clock.advance(1_000_000)
  expect(stopped.signal.aborted).toBe(false)
})

test('a caller that disconnects aborts it with the reason, and no timeout is left; a stopped one no longer follows', () => {
  const clock = handClock()
  const caller = new AbortController()
  const [followed, stopped] = [phaseTimer(clock, limits, caller.signal), phaseTimer(clock, limits, caller.signal)]
  stopped.stop()
  const reason = new Error('left')
  caller.abort(reason)
  expect([followed.signal.reason, stopped.signal.aborted, clock.pending()]).toEqual([reason, false, 0])
  const late = phaseTimer(clock, limits, caller.signal)
  expect([late.signal.reason, clock.pending()]).toEqual([reason, 0])
})

test('after a timeout the reason stays, whatever the caller does', async () => {
  const clock = handClock()
  const caller = new AbortController()
  const timer = phaseTimer(clock, limits, caller.signal)
  await clock.advance(10_000)
  caller.abort(new Error('left'))
  expect(timer.signal.reason).toMatchObject({ code: 'upstream_timeout' })
})
