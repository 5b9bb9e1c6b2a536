import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { testCandidate as candidate, testChannel as channel, channelKey as key } from '#testing/candidate'
import type { Channel, Channels } from './channel.ts'
import { type Candidate, order, sharesOf } from './order.ts'
import { plan } from './plan.ts'
import { defaultRetry, type Failure, nextAttempt, verdict } from './retry.ts'

const names = (candidates: Candidate[]) => candidates.map((one) => one.channel.name)

/** A small generator with a seed, so that a failure can be repeated. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32
    return state / 2 ** 32
  }
}

describe('order', () => {
  test('puts higher priority first, whatever the weights', () => {
    const all = [channel('low', { weight: 1000 }), channel('high', { priority: 5 }), channel('middle', { priority: 2, weight: 0 })].map(
      (one) => candidate(one),
    )
    for (let seed = 1; seed < 50; seed++) expect(names(order(all, seeded(seed)))).toEqual(['high', 'middle', 'low'])
  })

  test('draws by weight inside a priority, and weight 0 only last', () => {
    const all = [channel('three', { weight: 3 }), channel('one'), channel('spare', { weight: 0 })].map((one) => candidate(one))
    const fraction = seeded(7)
    let first = 0
    for (let round = 0; round < 4000; round++) {
      const drawn = names(order(all, fraction))
      expect(drawn[2]).toBe('spare')
      if (drawn[0] === 'three') first += 1
    }
    expect(first / 4000).toBeGreaterThan(0.72)
    expect(first / 4000).toBeLessThan(0.78)
  })

  test('prefers the client`s own dialect inside a priority, whatever the weights', () => {
    const all = [{ ...candidate(channel('converted', { weight: 1000 })), native: false }, candidate(channel('native'))]
    for (let seed = 1; seed < 50; seed++) expect(names(order(all, seeded(seed)))).toEqual(['native', 'converted'])
  })

  test('tries every sibling channel before a second key of one of them', () => {
    const two = channel('two', { keys: [key('a'), key('b')] })
    const all = [...two.keys.map((one) => candidate(two, one)), candidate(channel('other')), candidate(channel('later', { priority: -1 }))]
    const drawn = order(all, seeded(3))
    expect(new Set(names(drawn.slice(0, 2)))).toEqual(new Set(['two', 'other']))
    expect(drawn[2]?.channel.name).toBe('two')
    expect(drawn[3]?.channel.name).toBe('later')
    expect(new Set(drawn.map((one) => one.key?.id)).size).toBe(4)
  })
})

describe('plan', () => {
  const registry = (...all: Channel[]): Channels => ({
    all: () => all.values(),
    get: (id) => all.find((one) => one.id === id),
    offering: (group, model) => all.filter((one) => one.enabled && one.groups.has(group) && one.models.has(model)),
    modelsOf: () => ['m'],
    isSwitchedOff: () => false,
  })
  const request = { group: 'default', model: 'm', models: null, operation: 'generate', dialect: 'chat' } as const
  const code = (work: () => unknown) => {
    try {
      work()
      return 'none'
    } catch (thrown) {
      return thrown instanceof GatewayError ? thrown.code : 'other'
    }
  }

  test('finds every enabled key of every channel that can serve', () => {
    const channels = registry(channel('a', { keys: [key('1'), key('2'), key('3', 1, false)] }), channel('b', { speaks: [] }))
    expect(
      plan(channels, request, () => 0.5)
        .map((one) => one.key?.id)
        .sort(),
    ).toEqual(['1', '2'])
  })

  test('gives each request candidates of its own, for attempts are told apart by them', () => {
    const channels = registry(channel('a'))
    const [first] = plan(channels, request, () => 0)
    const [second] = plan(channels, request, () => 0)
    expect(second).toEqual(first as Candidate)
    expect(second).not.toBe(first as Candidate)
  })

  test('returns model_not_found for a model that the group or the key does not have', () => {
    const channels = registry(channel('a'))
    expect(code(() => plan(channels, { ...request, group: 'vip' }, () => 0))).toBe('model_not_found')
    expect(code(() => plan(channels, { ...request, models: new Set(['other']) }, () => 0))).toBe('model_not_found')
    expect(code(() => plan(channels, { ...request, models: new Set(['m']) }, () => 0))).toBe('none')
  })

  test('distinguishes an endpoint without channels from channels that are all unavailable', () => {
    expect(code(() => plan(registry(channel('a', { speaks: [] })), request, () => 0))).toBe('unsupported_endpoint')
    expect(code(() => plan(registry(channel('a', { keys: [key('1', 1, false)] })), request, () => 0))).toBe('no_channel_available')
  })
})

describe('retry', () => {
  const a = candidate(channel('a'))
  const b = candidate(channel('b'))
  const failed = (
    of: Candidate,
    code: 'upstream_error' | 'upstream_rate_limited' | 'upstream_auth_failed' | 'upstream_rejected',
  ): Failure => ({ candidate: of, error: new GatewayError(code, 'x') })

  test('goes on to the next candidate, and repeats one when nothing else is left', () => {
    expect(nextAttempt([a, b], [], 0, defaultRetry, () => 0)).toEqual({ candidate: a, pauseMs: 0 })
    expect(nextAttempt([a, b], [failed(a, 'upstream_error')], 0, defaultRetry, () => 0)).toEqual({ candidate: b, pauseMs: 0 })
    expect(nextAttempt([a, b], [failed(a, 'upstream_error'), failed(b, 'upstream_rate_limited')], 0, defaultRetry, () => 0)).toEqual({
      candidate: a,
      pauseMs: 250,
    })
    expect(nextAttempt([a], [failed(a, 'upstream_error'), failed(a, 'upstream_error')], 0, defaultRetry, () => 0)).toBeUndefined()
  })

  test('does not repeat a limit or a refused key, nor the client`s own fault', () => {
    expect(nextAttempt([a], [failed(a, 'upstream_rate_limited')], 0, defaultRetry, () => 0)).toBeUndefined()
    expect(nextAttempt([a], [failed(a, 'upstream_auth_failed')], 0, defaultRetry, () => 0)).toBeUndefined()
    expect(nextAttempt([a, b], [failed(a, 'upstream_rejected')], 0, defaultRetry, () => 0)).toBeUndefined()
  })

  test('ends at the number of retries and at the deadline', () => {
    const many = Array.from({ length: 9 }, (_, index) => candidate(channel(`c${index}`)))
    const failures = many.slice(0, 3).map((one) => failed(one, 'upstream_error'))
    expect(nextAttempt(many, failures.slice(0, 2), 0, defaultRetry, () => 0)?.candidate).toBe(many[2] as Candidate)
    expect(nextAttempt(many, failures, 0, defaultRetry, () => 0)).toBeUndefined()
    expect(nextAttempt(many, failures.slice(0, 1), defaultRetry.deadlineMs + 1, defaultRetry, () => 0)).toBeUndefined()
  })

  test('reports a rate limit to the caller only if nothing worse happened', () => {
    expect(verdict([failed(a, 'upstream_rate_limited'), failed(b, 'upstream_rate_limited')])?.code).toBe('upstream_rate_limited')
    expect(verdict([failed(a, 'upstream_error'), failed(b, 'upstream_rate_limited')])?.code).toBe('upstream_error')
    expect(verdict([failed(a, 'upstream_auth_failed')])?.code).toBe('upstream_auth_failed')
  })

  test('always sends Retry-After: when the first of the limits ends', () => {
    const limit = (of: Candidate, retryAfter?: number): Failure => ({
      candidate: of,
      error: new GatewayError('upstream_rate_limited', 'x', retryAfter === undefined ? {} : { retryAfter }),
    })
    expect(verdict([limit(a, 7), limit(b, 40)])?.retryAfter).toBe(7)
    expect(verdict([limit(a), limit(b, 40)])?.retryAfter).toBe(5)
  })
})

describe('shares', () => {
  const two = channel('two', { weight: 3, keys: [key('a', 1), key('b', 4)] })
  const some = [
    ...two.keys.map((one) => candidate(two, one)),
    candidate(channel('one', { weight: 1 })),
    candidate(channel('spare', { weight: 0 })),
    { ...candidate(channel('converted')), native: false },
    candidate(channel('later', { priority: -1 })),
  ]
  const told = (isDrawn: boolean) => {
    const shares = sharesOf(some, isDrawn)
    return some.map((one) => [shares.get(one)?.rank, shares.get(one)?.share])
  }

  test('a share is how often the draw begins with it', () => {
    const shares = sharesOf(some, true)
    const fraction = seeded(11)
    const first = new Map<unknown, number>()
    const rounds = 20_000
    for (let round = 0; round < rounds; round++) {
      const [drawn] = order(some, fraction)
      first.set(drawn, (first.get(drawn) ?? 0) + 1)
    }
    for (const one of some) {
      const { rank = 0, share } = shares.get(one) ?? {}
      expect(Math.abs((first.get(one) ?? 0) / rounds - (rank === 0 ? (share ?? -1) : 0))).toBeLessThan(0.02)
    }
  })

  test('ranks come one after the other, and what is alone in its rank is certain', () => {
    expect(told(true).slice(2)).toEqual([
      [0, 0.25],
      [0, 0],
      [1, 1],
      [2, 1],
    ])
  })

  test('where channels come by another figure than their weight, no share is known of those that compete', () => {
    expect(told(false)).toEqual([
      [0, null],
      [0, null],
      [0, null],
      [0, null],
      [1, 1],
      [2, 1],
    ])
  })

  test('channels without any weight share alike', () => {
    const all = ['a', 'b'].map((name) => candidate(channel(name, { weight: 0 })))
    expect([...sharesOf(all, true).values()].map(({ share }) => share)).toEqual([0.5, 0.5])
  })
})
