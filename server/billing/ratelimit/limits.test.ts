import { describe, expect, test } from 'bun:test'
import type { Limits } from '#shared/console/limits'
import { GatewayError } from '#shared/errors'
import { handClock } from '#testing/hand-clock'
import { seeded } from '#testing/seeded'
import { createLimiter } from './limits.ts'

function setUp() {
  const clock = handClock()
  const limiter = createLimiter(clock)
  const take = (limits: Limits | null, tokens = 0, id = 'key:a') => limiter.take([{ id, limits }], tokens)
  const refusal = (work: () => unknown): GatewayError => {
    try {
      work()
    } catch (thrown) {
      if (thrown instanceof GatewayError) return thrown
      throw thrown
    }
    throw new Error('not refused')
  }
  return { clock, limiter, take, refusal }
}

describe('requests per minute', () => {
  test('never more than the limit in any minute, wherever it begins, and not much less', async () => {
    const { clock, take } = setUp()
    const fraction = seeded(7).fraction
    const passed: number[] = []
    for (let i = 0; i < 4000; i++) {
      await clock.advance(Math.floor(fraction() * 400))
      try {
        take({ rpm: 30 }).done(0)
        passed.push(clock.monotonic())
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw thrown
      }
    }
    const most = Math.max(...passed.map((from) => passed.filter((at) => at >= from && at < from + 60_000).length))
    expect(most).toBeLessThanOrEqual(30)
    const minutes = clock.monotonic() / 60_000
    expect(passed.length / minutes).toBeGreaterThan(25)
  })

  test('Retry-After is when one passes, not a second later', async () => {
    const { clock, take, refusal } = setUp()
    for (let i = 0; i < 3; i++) take({ rpm: 3 })
    const { code, retryAfter = 0 } = refusal(() => take({ rpm: 3 }))
    expect(code).toBe('rate_limit_exceeded')
    await clock.advance(retryAfter * 1000 - 1000)
    refusal(() => take({ rpm: 3 }))
    await clock.advance(1000)
    take({ rpm: 3 })
  })
})

describe('tokens per minute', () => {
  test('the request that passes the limit is finished, the next one waits', async () => {
    const { clock, take, refusal } = setUp()
    const ticket = take({ tpm: 1000 }, 400)
    ticket.done(1500)
    expect(refusal(() => take({ tpm: 1000 }, 10)).message).toContain('tokens')
    await clock.advance(65_000)
    take({ tpm: 1000 }, 10)
  })

  test('what was not used is given back', () => {
    const { take } = setUp()
    take({ tpm: 1000 }, 900).done(100)
    expect(take({ tpm: 1000 }, 800).left.tokens).toMatchObject({ limit: 1000, remaining: 100 })
  })

  test('a request larger than the limit passes alone', () => {
    const { take, refusal } = setUp()
    take({ tpm: 1000 }, 5000)
    refusal(() => take({ tpm: 1000 }, 1))
  })
})

describe('at once', () => {
  test('a place is free again when its request ends, once', () => {
    const { take, refusal } = setUp()
    const first = take({ concurrency: 2 })
    take({ concurrency: 2 })
    expect(refusal(() => take({ concurrency: 2 })).retryAfter).toBe(1)
    first.done(0)
    first.done(0)
    take({ concurrency: 2 })
    refusal(() => take({ concurrency: 2 }))
  })
})

test('key, user and group allow together or nothing is taken', () => {
  const { limiter, refusal } = setUp()
  const bounded = (rpm: number) => [
    { id: 'key:a', limits: { rpm: 2 } },
    { id: 'user:u', limits: null },
    { id: 'group:g', limits: { rpm } },
  ]
  limiter.take(bounded(1), 0)
  for (let i = 0; i < 5; i++) refusal(() => limiter.take(bounded(1), 0))
  expect(limiter.take(bounded(9), 0).left.requests).toMatchObject({ limit: 2, remaining: 0 })
})
