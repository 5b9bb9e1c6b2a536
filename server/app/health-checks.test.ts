import { expect, test } from 'bun:test'
import { handClock } from '#testing/hand-clock'
import { createHealthChecks } from './health-checks.ts'

/** Checks every `gap` milliseconds, before the end and after it; resolves to how long the end waited. */
async function waited(gap: number, { asksLater = true } = {}): Promise<number> {
  const clock = handClock()
  const checks = createHealthChecks(clock)
  let isLeaving = false
  let asks = true
  const ask = () => {
    if (!asks) return
    checks.checked(isLeaving)
    clock.after(gap, ask)
  }
  ask()
  await clock.advance(3 * gap + 1)
  isLeaving = true
  asks = asksLater
  const began = clock.monotonic()
  let ended: number | undefined
  void checks.seen(new AbortController().signal).then(() => {
    ended = clock.monotonic() - began
  })
  await clock.advance(60_000)
  return ended ?? Number.POSITIVE_INFINITY
}

test('a balancer that checks twice a second has seen three failures', async () => {
  const ms = await waited(500)
  expect(ms).toBeGreaterThanOrEqual(1_499)
  expect(ms).toBeLessThan(1_600)
})

test('a balancer that asks every five seconds, too', async () => {
  expect(await waited(5_000)).toBeGreaterThanOrEqual(14_999)
})

test('two balancers that check in turns have both seen it', async () => {
  const clock = handClock()
  const checks = createHealthChecks(clock)
  let isLeaving = false
  const ask = (gap: number) => {
    checks.checked(isLeaving)
    clock.after(gap, () => ask(gap))
  }
  ask(2_000)
  await clock.advance(20)
  ask(2_000)
  await clock.advance(6_000)
  isLeaving = true
  const began = clock.monotonic()
  let ended: number | undefined
  void checks.seen(new AbortController().signal).then(() => {
    ended = clock.monotonic() - began
  })
  await clock.advance(60_000)
  expect(ended).toBeGreaterThanOrEqual(3_900)
})

test('one that stopped asking is not waited for', async () => {
  expect(await waited(500, { asksLater: false })).toBeLessThan(1_300)
})

test('without regular health checks there is no wait', async () => {
  const clock = handClock()
  const checks = createHealthChecks(clock)
  await checks.seen(new AbortController().signal)
  checks.checked(false)
  await checks.seen(new AbortController().signal)
  await clock.advance(20_000)
  checks.checked(false)
  await checks.seen(new AbortController().signal)
  expect(clock.monotonic()).toBe(20_000)
})

test('a second signal ends the wait', async () => {
  const clock = handClock()
  const checks = createHealthChecks(clock)
  for (let n = 0; n < 3; n++) {
    checks.checked(false)
    await clock.advance(1_000)
  }
  const hurry = new AbortController()
  let isOver = false
  const over = checks.seen(hurry.signal).then(() => {
    isOver = true
  })
  await clock.advance(100)
  expect(isOver).toBe(false)
  hurry.abort()
  await clock.advance(20)
  await over
})
