import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { channelKey, testCandidate, testChannel } from '#testing/candidate'
import { handClock } from '#testing/hand-clock'
import { createHealth } from './health.ts'
import type { Health } from './health-contract.ts'
import type { Candidate } from './order.ts'

const fault = new GatewayError('upstream_error', 'broken')
const refused = new GatewayError('upstream_auth_failed', 'refused')
const limited = (retryAfter?: number) =>
  new GatewayError('upstream_rate_limited', 'limited', retryAfter === undefined ? {} : { retryAfter })

function setUp() {
  const clock = handClock()
  const health = createHealth(clock)
  const channel = testChannel('a', { keys: [channelKey('one'), channelKey('two')] })
  const candidate = testCandidate(channel)
  const fail = (times: number, error = fault, of = candidate) => {
    for (let i = 0; i < times; i++) if (health.admit(of)) health.failed(of, error)
  }
  return { clock, health, channel, candidate, fail }
}

describe('a model behind a key', () => {
  test('five faults in half a minute open it; four, or five over a longer time, do not', async () => {
    const { clock, health, candidate, fail } = setUp()
    fail(4)
    expect(health.wait(candidate)).toBe(0)
    await clock.advance(30_000)
    fail(4)
    expect(health.wait(candidate)).toBe(0)
    fail(1)
    expect(health.wait(candidate)).toBe(30_000)
    expect(health.admit(candidate)).toBe(false)
  })

  test('faults among many successes do not; faults that are half of what happens do', () => {
    const { health, candidate, fail } = setUp()
    for (let i = 0; i < 20; i++) {
      fail(1)
      for (let good = 0; good < 3; good++) health.succeeded(candidate)
    }
    expect(health.wait(candidate)).toBe(0)
    fail(40)
    expect(health.wait(candidate)).toBe(30_000)
  })

  test('another model and another key are not touched', () => {
    const { health, channel, fail } = setUp()
    fail(5)
    expect(health.admit(testCandidate(channel, channel.keys[1]))).toBe(true)
    expect(health.admit(testCandidate(channel, channel.keys[0], 'other'))).toBe(true)
  })

  test('client errors count against no channel', () => {
    const { health, candidate, fail } = setUp()
    fail(50, new GatewayError('upstream_rejected', 'bad request'))
    expect(health.ailments()).toEqual([])
    expect(health.wait(candidate)).toBe(0)
  })
})

test('one of several resting entries is reset alone, and only it is reported to others', () => {
  const { health, channel, candidate, fail } = setUp()
  const told: unknown[] = []
  fail(5)
  fail(3, refused, testCandidate(channel, channel.keys[1]))
  health.onChange((what) => told.push(what))
  health.reset('a', { key: 'one', model: 'm' })
  expect(health.ailments('a').map(({ key, model }) => [key, model])).toEqual([['two', null]])
  expect(health.wait(candidate)).toBe(0)
  expect(told).toEqual([{ breaker: JSON.stringify(['a', 'one', 'm']) }])
  expect(health.news(JSON.stringify(['a', 'one', 'm']))).toMatchObject({ ms: 0, statedMs: 0 })
})

test('what attempts met is counted; what the client did wrong is not', () => {
  const { health, channel, candidate, fail } = setUp()
  fail(2)
  fail(4, new GatewayError('upstream_rejected', 'bad request'))
  health.succeeded(candidate)
  health.succeeded(testCandidate(channel, channel.keys[1]))
  const last = health.outcomes('a').map(({ keyId, model, slices }) => ({ keyId, model, ...slices.at(-1) }))
  expect(last).toEqual([
    { keyId: 'one', model: 'm', attempts: 3, failed: 2 },
    { keyId: 'two', model: 'm', attempts: 1, failed: 0 },
  ])
})

test('a failure that opens no breaker is not shown as a penalty', () => {
  const { health, fail } = setUp()
  fail(4)
  expect([health.ailments().length, health.resting()]).toEqual([1, []])
})

describe('half-open', () => {
  test('lets one probe pass; its success closes', async () => {
    const { clock, health, candidate, fail } = setUp()
    fail(5)
    await clock.advance(30_000)
    expect(health.ailments()[0]).toMatchObject({ state: 'half-open', cause: 'upstream_error', key: 'one', model: 'm', waitMs: 0 })
    expect([health.admit(candidate), health.admit(candidate)]).toEqual([true, false])
    health.succeeded(candidate)
    expect([health.admit(candidate), health.admit(candidate)]).toEqual([true, true])
    expect(health.ailments()).toEqual([])
  })

  test('a probe that fails opens for twice as long, never for more than five minutes', async () => {
    const { clock, health, candidate, fail } = setUp()
    fail(5)
    const waits: number[] = []
    for (let i = 0; i < 6; i++) {
      await clock.advance(health.wait(candidate))
      fail(1)
      waits.push(health.wait(candidate))
    }
    expect(waits).toEqual([60_000, 120_000, 240_000, 300_000, 300_000, 300_000])
  })

  test('a probe whose client left may be taken again', async () => {
    const { clock, health, candidate, fail } = setUp()
    fail(5)
    await clock.advance(30_000)
    expect(health.admit(candidate)).toBe(true)
    health.withdrawn(candidate)
    expect(health.admit(candidate)).toBe(true)
  })

  test('what is not the probe neither frees its place, nor opens it again, nor closes it', async () => {
    const { clock, health, channel, candidate, fail } = setUp()
    const [early, probe, late] = [testCandidate(channel), testCandidate(channel), testCandidate(channel)]
    expect(health.admit(early)).toBe(true)
    fail(5)
    await clock.advance(30_000)
    expect([health.admit(probe), health.admit(late)]).toEqual([true, false])
    health.failed(early, fault)
    expect([health.wait(candidate), health.admit(late)]).toEqual([0, false])
    health.failed(early, new GatewayError('upstream_rejected', 'bad request'))
    health.withdrawn(early)
    health.succeeded(early)
    expect(health.admit(late)).toBe(false)
    health.failed(probe, fault)
    expect(health.wait(candidate)).toBe(60_000)
  })

  test('what was sent before it opened and fails after it does not lengthen the rest', () => {
    const { health, candidate, fail } = setUp()
    fail(5)
    for (let i = 0; i < 20; i++) health.failed(candidate, fault)
    expect(health.wait(candidate)).toBe(30_000)
  })
})

describe('a limit', () => {
  test.each([
    [undefined, 5_000],
    [2, 2_000],
    [1e9, 60_000],
    [-5, 0],
  ])('Retry-After %p rests %p ms', async (seconds, ms) => {
    const { clock, health, candidate, fail } = setUp()
    fail(1, limited(seconds))
    expect(health.wait(candidate)).toBe(ms)
    await clock.advance(ms)
    expect(health.admit(candidate)).toBe(true)
  })
})

describe('a key that has next to nothing left', () => {
  test('comes last until its reset, and is used if there is no other', async () => {
    const { clock, health, channel, candidate } = setUp()
    const other = testCandidate(channel, channel.keys[1])
    health.spent(candidate, 7_000)
    expect(health.plentyFirst([candidate, other])).toEqual([other, candidate])
    expect(health.fit([candidate])).toEqual([candidate])
    expect([health.admit(candidate), health.ailments()]).toEqual([true, []])
    expect(health.plentyFirst([testCandidate(channel, channel.keys[0], 'another model'), other])[0]?.model.name).toBe('another model')
    await clock.advance(7_000)
    expect(health.plentyFirst([candidate, other])).toEqual([candidate, other])
    health.spent(candidate, 1e9)
    await clock.advance(60_000)
    expect(health.plentyFirst([candidate, other])).toEqual([candidate, other])
  })
})

describe('when nobody else is left', () => {
  const left = () => new AbortController().signal
  const fresh = (of: Candidate) => ({ ...of })
  /** How many last resorts are admitted at once, at most twenty. */
  const placesOf = (health: Health, candidate: Candidate) => {
    const all = Array.from({ length: 20 }, () => fresh(candidate))
    return all.filter((one) => health.admit(one, true))
  }

  test('the best that rests is asked, four at a time, and its first success ends the rest for all', () => {
    const { health, candidate, fail } = setUp()
    fail(5)
    expect([health.fit([candidate]), health.admit(candidate)]).toEqual([[candidate], false])
    const [first, second, ...others] = placesOf(health, candidate)
    expect(others).toHaveLength(2)
    if (!first || !second) throw new Error('four')
    health.failed(first, fault)
    expect([health.wait(candidate), health.admit(fresh(candidate), true)]).toEqual([30_000, true])
    health.succeeded(second)
    expect([health.wait(candidate), health.admit(candidate)]).toEqual([0, true])
  })

  test('or a tenth of what it had at once in the last minute', async () => {
    const { clock, health, candidate, fail } = setUp()
    const many = Array.from({ length: 100 }, () => fresh(candidate))
    for (const one of many) health.admit(one)
    for (const one of many) health.succeeded(one)
    await clock.advance(29_000)
    fail(100)
    expect(health.wait(candidate)).toBe(30_000)
    const held = placesOf(health, candidate)
    expect(held).toHaveLength(10)
    for (const one of held) health.withdrawn(one)
    await clock.advance(61_000)
    fail(1)
    expect([health.wait(candidate) > 0, placesOf(health, candidate).length]).toEqual([true, 4])
  })

  test('one rate limit without a time excludes no candidate', () => {
    const { health, candidate, fail } = setUp()
    fail(1, limited())
    expect([health.wait(candidate), health.fit([candidate]), health.admit(candidate, true)]).toEqual([5_000, [candidate], true])
  })

  test('until the time named by the upstream it is not used, and the error says whose limit it is', async () => {
    const { clock, health, channel, candidate, fail } = setUp()
    const other = testCandidate(channel, channel.keys[1])
    fail(1, limited(20))
    fail(1, limited(7), other)
    expect([health.admit(candidate, true), health.statedWait(candidate)]).toEqual([false, 20_000])
    expect(() => health.fit([candidate, other])).toThrow(/The limit is the upstream's/)
    expect(health.refusal([candidate, other])).toMatchObject({ code: 'upstream_rate_limited', retryAfter: 7 })
    await clock.advance(7_000)
    expect(health.fit([candidate, other])).toEqual([other])
  })

  test('another model of a key that named a time spends nothing of what is used up', () => {
    const { health, channel, fail } = setUp()
    fail(1, limited(20))
    expect(health.admit(testCandidate(channel, channel.keys[0], 'other'))).toBe(true)
  })

  test('healthy candidates come first, then those that recover soonest', () => {
    const { health, channel, candidate, fail } = setUp()
    const other = testCandidate(channel, channel.keys[1])
    const third = testCandidate(testChannel('b'))
    fail(5)
    fail(1, limited(), other)
    expect(health.fit([candidate, other, third])).toEqual([third, other, candidate])
  })

  test('a caller waits for a place for a second, and takes the first that is free', async () => {
    const { clock, health, candidate, fail } = setUp()
    fail(5)
    const [first] = placesOf(health, candidate)
    if (!first) throw new Error('four')
    const [one, two] = [fresh(candidate), fresh(candidate)]
    const got = [one, two].map((of) => health.place([of], left()))
    await clock.advance(900)
    health.failed(first, fault)
    await clock.advance(100)
    expect(await Promise.all(got)).toEqual([one, undefined])
    expect(health.refusal([candidate])).toMatchObject({ code: 'no_channel_available', retryAfter: 5 })
    const gone = new AbortController()
    const aborted = health.place([fresh(candidate)], gone.signal)
    gone.abort()
    expect([await aborted, clock.pending()]).toEqual([undefined, 0])
  })

  test('all waiting requests are admitted when it recovers', async () => {
    const { health, candidate, fail } = setUp()
    fail(5)
    const [first] = placesOf(health, candidate)
    if (!first) throw new Error('four')
    const waiting = Array.from({ length: 50 }, () => fresh(candidate))
    const got = waiting.map((of) => health.place([of], left()))
    health.succeeded(first)
    expect(await Promise.all(got)).toEqual(waiting)
  })
})

describe('a refused key', () => {
  test('rests for every model of its channel after the third refusal in a row', () => {
    const { health, channel, candidate, fail } = setUp()
    const other = testCandidate(channel, channel.keys[0], 'other')
    fail(2, refused)
    fail(1, refused, other)
    expect([health.wait(candidate), health.wait(other)]).toEqual([60_000, 60_000])
    expect(health.wait(testCandidate(channel, channel.keys[1]))).toBe(0)
    expect(health.ailments('a')).toEqual([
      { channelId: 'a', key: 'one', model: null, state: 'open', cause: 'upstream_auth_failed', waitMs: 60_000 },
    ])
  })
})

test('an administrator ends everything that is held against a channel, and nothing else', () => {
  const { health, candidate, fail } = setUp()
  const elsewhere = testCandidate(testChannel('b'))
  fail(5)
  fail(5, fault, elsewhere)
  health.reset('a')
  expect(health.ailments('a')).toEqual([])
  expect(health.admit(candidate)).toBe(true)
  expect(health.wait(elsewhere)).toBe(30_000)
})
