/**
 * The only channel of a model fails and recovers, under random schedules: no request is refused on a guess, and all succeed as soon as the
 * channel does.
 */
import { expect, test } from 'bun:test'
import { createHealth } from '#routing/health'
import { defaultRetry } from '#routing/retry'
import { GatewayError } from '#shared/errors'
import { channelKey, testCandidate, testChannel } from '#testing/candidate'
import { handClock } from '#testing/hand-clock'
import { sampledSeeds } from '#testing/sample'
import { seeded } from '#testing/seeded'
import { defaultLimits } from '#upstream/timeouts'
import { createAttemptLog, tryCandidates } from './attempt.ts'

interface Heard {
  at: number
  code: string
  /** Whether the upstream was asked. */
  asked: boolean
}

/** The error of a request that ends at this millisecond of the run; undefined = an answer. */
type Upstream = (at: number) => GatewayError | undefined

/** Callers come about every `everyMs`; an answer takes up to `answerMs`. All milliseconds. */
async function run(seed: number, upstream: Upstream, { everyMs = 40, answerMs = 60, ms = 90_000 } = {}): Promise<Heard[]> {
  const random = seeded(seed)
  const clock = handClock()
  const health = createHealth(clock)
  const channel = testChannel('only', { keys: [channelKey('one')] })
  const heard: Heard[] = []
  const { signal } = new AbortController()

  async function call(): Promise<void> {
    const candidate = testCandidate(channel)
    const own: Heard = { at: clock.monotonic(), code: 'ok', asked: false }
    heard.push(own)
    const attempt = async () => {
      own.asked = true
      await clock.sleep(1 + random.below(answerMs))
      const error = upstream(clock.monotonic())
      if (error) throw error
    }
    try {
      await tryCandidates<void>({
        parts: { clock, retry: defaultRetry, health, random: { fraction: () => random.below(1000) / 1000, hex: String, base62: String } },
        candidates: health.fit([candidate]),
        model: 'm',
        attempts: createAttemptLog(),
        signal,
        limits: () => defaultLimits,
        prepare:
          async () =>
          async ({ timer }) => {
            await attempt()
            timer.stop()
          },
      })
    } catch (thrown) {
      own.code = thrown instanceof GatewayError ? thrown.code : String(thrown)
    }
  }

  const calls: Promise<void>[] = []
  const next = (at: number): void => {
    clock.after(at - clock.monotonic(), () => {
      calls.push(call())
      const following = at + 1 + random.below(2 * everyMs)
      if (following < ms) next(following)
    })
  }
  next(1)
  await clock.advance(ms + 60_000)
  await Promise.all(calls)
  return heard
}

const during =
  (from: number, to: number, error: () => GatewayError): Upstream =>
  (at) =>
    at >= from && at < to ? error() : undefined
const fault = () => new GatewayError('upstream_error', 'broken')
const limit = (retryAfter?: number) => () =>
  new GatewayError('upstream_rate_limited', 'limited', retryAfter === undefined ? {} : { retryAfter })
const seeds = sampledSeeds(1000, 6)

test('a channel that recovers is used again by all requests at once', async () => {
  for (const seed of seeds) {
    const random = seeded(seed)
    const from = 5_000 + random.below(10_000)
    const to = from + 2_000 + random.below(50_000)
    const heard = await run(seed, during(from, to, fault))
    expect([seed, heard.some(({ code }) => code === 'upstream_error')]).toEqual([seed, true])
    // The last request from before may still be refused; one that arrives a second later is not.
    expect([seed, heard.filter(({ at, code }) => at > to + 1_000 && code !== 'ok')]).toEqual([seed, []])
    expect([seed, heard.filter(({ code, asked }) => code !== 'ok' && !asked)]).toEqual([seed, []])
  }
})

test('a rate limit without Retry-After refuses only the request that got it', async () => {
  for (const seed of seeds) {
    let limits = 1
    const heard = await run(seed, (at) => (at > 10_000 && limits-- > 0 ? limit()() : undefined))
    expect([seed, heard.filter(({ code }) => code !== 'ok').map(({ code, asked }) => [code, asked])]).toEqual([
      seed,
      [['upstream_rate_limited', true]],
    ])
  }
})

test('after a rate limit with Retry-After the upstream is not asked until then, and is afterwards', async () => {
  for (const seed of seeds) {
    const from = 10_000
    const heard = await run(seed, during(from, from + 200, limit(7)))
    const heardAt = heard.find(({ code, asked }) => code === 'upstream_rate_limited' && asked)?.at
    expect([seed, heardAt === undefined]).toEqual([seed, false])
    const meanwhile = heard.filter(({ at }) => at > from + 300 && at < from + 6_900)
    expect([seed, meanwhile.every(({ code, asked }) => code === 'upstream_rate_limited' && !asked)]).toEqual([seed, true])
    expect([seed, heard.filter(({ at, code }) => at > from + 7_500 && code !== 'ok')]).toEqual([seed, []])
  }
})
