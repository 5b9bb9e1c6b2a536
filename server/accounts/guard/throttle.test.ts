import { describe, expect, test } from 'bun:test'
import { handClock } from '#testing/hand-clock'
import { createThrottle } from './throttle.ts'

const minute = 60_000
const stranger = async () => false
const known = async () => true

type Throttle = ReturnType<typeof createThrottle>

/** Seconds to wait; 0 = the attempt was admitted and counts as a failure. */
const fail = (throttle: Throttle, name: string, address: string, isKnown = stranger): Promise<number> =>
  throttle.attempt(name, address, isKnown).then(
    () => 0,
    (thrown) => {
      expect(thrown).toMatchObject({ code: 'too_many_attempts', status: 429 })
      return thrown.retryAfter
    },
  )

describe('the throttle', () => {
  test('after ten failures of a name from an address each one doubles the wait, up to fifteen minutes', async () => {
    const clock = handClock()
    const throttle = createThrottle(clock)
    for (let n = 0; n < 10; n++) expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(0)
    const waits: number[] = []
    for (let n = 0; n < 12; n++) {
      const wait = await fail(throttle, 'ann', '10.0.0.1')
      waits.push(wait)
      await clock.advance(wait * 1000 - 1)
      expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(1)
      await clock.advance(1)
      expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(0)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
  })
  test('ten failures of a name refuse neither that name elsewhere nor other names at the same address', async () => {
    const throttle = createThrottle(handClock())
    for (let n = 0; n < 10; n++) await fail(throttle, 'ann', '10.0.0.1')
    expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(1)
    expect(await fail(throttle, 'ann', '10.0.0.2')).toBe(0)
    expect(await fail(throttle, 'bob', '10.0.0.1')).toBe(0)
  })
  test('a name that is guessed from everywhere waits, but not where its user has signed in before', async () => {
    const throttle = createThrottle(handClock())
    for (let n = 0; n < 100; n++) expect(await fail(throttle, 'ann', `10.0.${n}.1`)).toBe(0)
    expect(await fail(throttle, 'ann', '10.1.0.1')).toBe(1)
    expect(await fail(throttle, 'ann', '10.1.0.1', known)).toBe(0)
    expect(await fail(throttle, 'bob', '10.1.0.1')).toBe(0)
  })
  test('an address that guesses many names waits a minute at most, but not for users who have signed in from it', async () => {
    const clock = handClock()
    const throttle = createThrottle(clock)
    for (let n = 0; n < 100; n++) expect(await fail(throttle, `user${n}`, '10.0.0.1')).toBe(0)
    const waits: number[] = []
    for (let n = 0; n < 8; n++) {
      const wait = await fail(throttle, `fresh${n}`, '10.0.0.1')
      waits.push(wait)
      await clock.advance(wait * 1000)
      expect(await fail(throttle, `late${n}`, '10.0.0.1')).toBe(0)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
    expect(await fail(throttle, 'ann', '10.0.0.1', known)).toBe(0)
    expect(await fail(throttle, 'bob', '10.0.0.2')).toBe(0)
  })
  test('a success clears the failures of this name from this address only', async () => {
    const throttle = createThrottle(handClock())
    for (let n = 0; n < 9; n++) await fail(throttle, 'ann', '10.0.0.1')
    for (let n = 0; n < 10; n++) await fail(throttle, 'ann', '10.0.0.2')
    ;(await throttle.attempt('ann', '10.0.0.1', stranger)).succeeded()
    for (let n = 0; n < 10; n++) expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(0)
    expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(1)
    expect(await fail(throttle, 'ann', '10.0.0.2')).toBe(1)
  })
  test('attempts under way count, so that a burst does not slip through', async () => {
    const throttle = createThrottle(handClock())
    const under = await Promise.all(Array.from({ length: 10 }, () => throttle.attempt('ann', '10.0.0.1', stranger)))
    expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(1)
    under[3]?.undecided()
    expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(0)
    expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(1)
  })
  test('a burst that waits to be recognised does not slip through either', async () => {
    const throttle = createThrottle(handClock())
    for (let n = 0; n < 100; n++) await fail(throttle, 'ann', `10.0.${n}.1`)
    const burst = await Promise.all(Array.from({ length: 30 }, () => fail(throttle, 'ann', '10.1.0.1', known)))
    expect(burst.filter((wait) => wait === 0).length).toBe(10)
  })
  test('a refused attempt does not prolong the wait', async () => {
    const clock = handClock()
    const throttle = createThrottle(clock)
    for (let n = 0; n < 10; n++) await fail(throttle, 'ann', '10.0.0.1')
    for (let n = 0; n < 50; n++) expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(1)
    await clock.advance(1000)
    expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(0)
  })
  test('an hour without a failure is a new start', async () => {
    const clock = handClock()
    const throttle = createThrottle(clock)
    for (let n = 0; n < 10; n++) await fail(throttle, 'ann', '10.0.0.1')
    await clock.advance(60 * minute)
    for (let n = 0; n < 10; n++) expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(0)
  })
  test('failures of ten thousand others do not evict a name that must wait', async () => {
    const throttle = createThrottle(handClock())
    for (let n = 0; n < 10; n++) await fail(throttle, 'ann', '10.0.0.1')
    for (let n = 0; n < 20_000; n++) await fail(throttle, `n${n}`, `10.${1 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}`)
    expect(await fail(throttle, 'ann', '10.0.0.1')).toBe(1)
  })
})
