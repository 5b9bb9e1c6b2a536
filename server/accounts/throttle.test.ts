import { describe, expect, test } from 'bun:test'
import { handClock } from '#testing/hand-clock'
import { createThrottle, networkOf } from './throttle.ts'

const minute = 60_000
const refused = { code: 'too_many_attempts', status: 429 }

function fail(throttle: ReturnType<typeof createThrottle>, times: number, name: string, address: (n: number) => string) {
  for (let n = 0; n < times; n++) throttle.attempt(name, address(n))
}

describe('the throttle', () => {
  test('allows ten failures of a name from anywhere, then none until the oldest is fifteen minutes ago', async () => {
    const clock = handClock()
    const throttle = createThrottle(clock)
    fail(throttle, 1, 'ann', (n) => `10.0.0.${n}`)
    await clock.advance(5 * minute)
    fail(throttle, 9, 'ann', (n) => `10.0.1.${n}`)
    expect(() => throttle.attempt('ann', '10.9.9.9')).toThrow(expect.objectContaining({ ...refused, retryAfter: 600 }))
    await clock.advance(10 * minute - 1)
    expect(() => throttle.attempt('ann', '10.9.9.9')).toThrow(expect.objectContaining({ ...refused, retryAfter: 1 }))
    await clock.advance(1)
    throttle.attempt('ann', '10.9.9.9')
    expect(() => throttle.attempt('ann', '10.9.9.9')).toThrow(expect.objectContaining(refused))
  })
  test('allows ten failures from an address with any names; others are not touched', () => {
    const throttle = createThrottle(handClock())
    for (let n = 0; n < 10; n++) throttle.attempt(`user${n}`, '10.0.0.1')
    expect(() => throttle.attempt('fresh', '10.0.0.1')).toThrow(expect.objectContaining(refused))
    throttle.attempt('fresh', '10.0.0.2')
    throttle.attempt('user1', '10.0.0.2')
  })
  test('a success clears the name but not the address', () => {
    const throttle = createThrottle(handClock())
    fail(throttle, 9, 'ann', () => '10.0.0.1')
    throttle.attempt('ann', '10.0.0.1').succeeded()
    fail(throttle, 1, 'ann', () => '10.0.0.1')
    expect(() => throttle.attempt('ann', '10.0.0.1')).toThrow(expect.objectContaining(refused))
    fail(throttle, 9, 'ann', () => '10.0.0.2')
    expect(() => throttle.attempt('ann', '10.0.0.3')).toThrow(expect.objectContaining(refused))
  })
  test('attempts under way count, so that a burst does not slip through', () => {
    const throttle = createThrottle(handClock())
    const under = Array.from({ length: 10 }, () => throttle.attempt('ann', '10.0.0.1'))
    expect(() => throttle.attempt('ann', '10.0.0.1')).toThrow(expect.objectContaining(refused))
    under[3]?.undecided()
    throttle.attempt('ann', '10.0.0.1')
    expect(() => throttle.attempt('ann', '10.0.0.1')).toThrow(expect.objectContaining(refused))
  })
  test('a refused attempt does not prolong the wait', async () => {
    const clock = handClock()
    const throttle = createThrottle(clock)
    fail(throttle, 10, 'ann', () => '10.0.0.1')
    await clock.advance(14 * minute)
    for (let n = 0; n < 50; n++) expect(() => throttle.attempt('ann', '10.0.0.1')).toThrow()
    await clock.advance(minute)
    throttle.attempt('ann', '10.0.0.1')
  })
  test('remembers a bounded number and lets the oldest go first', () => {
    const throttle = createThrottle(handClock())
    fail(throttle, 10, 'first', (n) => `2001:db8:0:${n}::1`)
    for (let n = 0; n < 5_000; n++) throttle.attempt(`n${n}`, `10.1.${n >> 8}.${n & 255}`)
    throttle.attempt('first', '10.0.0.9')
  })
})

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:1:2::9', '2001:db8:1:2'],
  ['2001:0db8:0001:0002::9', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['::', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})
