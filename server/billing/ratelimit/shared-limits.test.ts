/** One and two instances that share limits, step by step: when no request waits, when one must, and the resulting error. */
import { describe, expect, test } from 'bun:test'
import { createLog } from '#runtime/log'
import type { Limits } from '#shared/console/limits'
import { GatewayError } from '#shared/errors'
import { createRateModel } from '#testing/books/limit-model'
import { rateNetwork } from '#testing/books/limit-network'
import { handClock } from '#testing/hand-clock'
import { seeded } from '#testing/seeded'
import type { Ticket } from './limits.ts'
import { createSharedLimiter } from './shared-limits.ts'

const writeOffMs = 30_000

function setUp() {
  const hand = handClock()
  let asleep = 0
  const clock = { ...hand, now: () => hand.now() + asleep }
  const seededRandom = seeded(5)
  const network = rateNetwork(clock, createRateModel())
  let members = 0
  function join() {
    const { table, cut, calls } = network.join()
    const name = `holder ${++members}`
    const random = { fraction: seededRandom.fraction, hex: () => name, base62: () => name }
    const limiter = createSharedLimiter({ table, clock, random, log: createLog('silent'), writeOffMs })
    /** The ticket, or the error; undefined while it is open. */
    function ask(limits: Limits | null, tokens = 0, id = 'key:a'): { now: boolean; result?: Ticket | GatewayError } {
      try {
        const taken = limiter.take([{ id, limits }], tokens)
        if (!(taken instanceof Promise)) return { now: true, result: taken }
        const asked: { now: boolean; result?: Ticket | GatewayError } = { now: false }
        void taken.then(
          (ticket) => Object.assign(asked, { result: ticket }),
          (error: unknown) => Object.assign(asked, { result: error }),
        )
        return asked
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw thrown
        return { now: true, result: thrown }
      }
    }
    async function take(limits: Limits | null, tokens = 0, id?: string): Promise<Ticket> {
      const asked = ask(limits, tokens, id)
      if (!asked.now) await clock.advance(600)
      if (!asked.result || asked.result instanceof GatewayError) throw asked.result ?? new Error('still open')
      return asked.result
    }
    async function refusal(limits: Limits, tokens = 0): Promise<GatewayError> {
      const asked = ask(limits, tokens)
      if (!asked.now) await clock.advance(600)
      if (!(asked.result instanceof GatewayError)) throw new Error('not refused')
      return asked.result
    }
    return { limiter, ask, take, refusal, cut, calls }
  }
  /** As when the machine is suspended: its monotonic clock stops, the wall clock continues. */
  const sleep = (ms: number) => {
    asleep += ms
  }
  return { clock, join, sleep }
}

describe('alone', () => {
  test('requests per minute: the rest is reported, and beyond it requests are refused at once with Retry-After', async () => {
    const { clock, join } = setUp()
    const one = join()
    expect((await one.take({ rpm: 2 })).left.requests).toMatchObject({ limit: 2, remaining: 1 })
    expect((await one.take({ rpm: 2 })).left.requests).toMatchObject({ limit: 2, remaining: 0 })
    const asked = one.ask({ rpm: 2 })
    await clock.advance(5)
    expect(asked.result).toMatchObject({ code: 'rate_limit_exceeded' })
    const { retryAfter = 0 } = await one.refusal({ rpm: 2 })
    expect(retryAfter).toBeWithin(60, 71)
    await clock.advance(retryAfter * 1000 - 2_000)
    await one.refusal({ rpm: 2 })
    await clock.advance(2_000)
    await one.take({ rpm: 2 })
  })

  test('tokens: the request that passes the limit is finished, the next one waits; what was not used is given back', async () => {
    const { clock, join } = setUp()
    const one = join()
    const first = await one.take({ tpm: 1000 }, 400)
    first.done(1500)
    expect((await one.refusal({ tpm: 1000 }, 10)).message).toContain('tokens')
    await clock.advance(75_000)
    const second = await one.take({ tpm: 1000 }, 900)
    second.done(100)
    expect((await one.take({ tpm: 1000 }, 800)).left.tokens).toMatchObject({ limit: 1000, remaining: 100 })
  })

  test('a request larger than the limit passes alone', async () => {
    const { join } = setUp()
    const one = join()
    await one.take({ tpm: 1000 }, 5000)
    await one.refusal({ tpm: 1000 }, 1)
  })

  test('a place is free again when its request ends, once', async () => {
    const { join } = setUp()
    const one = join()
    const first = await one.take({ concurrency: 2 })
    await one.take({ concurrency: 2 })
    expect((await one.refusal({ concurrency: 2 })).retryAfter).toBe(1)
    first.done(0)
    first.done(0)
    await one.take({ concurrency: 2 })
    await one.refusal({ concurrency: 2 })
  })

  test('key, user and group allow together or nothing is taken', async () => {
    const { clock, join } = setUp()
    const { limiter } = join()
    const bounded = (rpm: number) => [
      { id: 'key:a', limits: { rpm: 2 } },
      { id: 'user:u', limits: null },
      { id: 'group:g', limits: { rpm } },
    ]
    const outcomes: string[] = []
    for (const rpm of [1, 1, 1, 1, 9]) {
      void Promise.try(() => limiter.take(bounded(rpm), 0)).then(
        ({ left }) => outcomes.push(`${left.requests?.limit}: ${left.requests?.remaining}`),
        ({ code }: GatewayError) => outcomes.push(code),
      )
      await clock.advance(700)
    }
    expect(outcomes).toEqual(['1: 0', 'rate_limit_exceeded', 'rate_limit_exceeded', 'rate_limit_exceeded', '2: 0'])
  })

  test('on a warm key no request waits, and a thousand requests are few calls', async () => {
    const { clock, join } = setUp()
    const one = join()
    const limits = { rpm: 100_000, tpm: 50_000_000, concurrency: 500 }
    let waited = 0
    const run = async (count: number) => {
      for (let n = 0; n < count; n++) {
        const asked = one.ask(limits, 300)
        if (!asked.now) {
          waited += 1
          await clock.advance(5)
        }
        if (!asked.result || asked.result instanceof GatewayError) throw asked.result ?? new Error('still open')
        const { done } = asked.result
        clock.after(200, () => done(250))
        await clock.advance(10)
      }
    }
    await run(100)
    const cold = { waited, calls: one.calls() }
    waited = 0
    await run(1000)
    console.log(
      `1,000 requests on a warm key: ${waited} waited, ${one.calls() - cold.calls} calls; the first 100: ${cold.waited}, ${cold.calls}`,
    )
    expect(waited).toBe(0)
    expect(one.calls() - cold.calls).toBeLessThan(200)
  })

  test('without requests everything is returned, and nothing is left to do', async () => {
    const { clock, join } = setUp()
    const one = join()
    const ticket = await one.take({ rpm: 1000, tpm: 100_000, concurrency: 50 }, 100)
    ticket.done(40)
    await clock.advance(20_000)
    expect(clock.pending()).toBe(0)
    const other = join()
    const { left } = await other.take({ rpm: 1000, tpm: 100_000, concurrency: 50 }, 100)
    expect(left).toMatchObject({ requests: { remaining: 998 }, tokens: { remaining: 99_860 } })
  })
})

describe('together', () => {
  test('what one keeps ahead is given back when another needs it: the last of it is used', async () => {
    const { clock, join } = setUp()
    const [one, two] = [join(), join()]
    for (let n = 0; n < 40; n++) {
      await one.take({ rpm: 100 })
      await clock.advance(20)
    }
    let passed = 40
    for (let n = 0; n < 100; n++) {
      const asked = two.ask({ rpm: 100 })
      await clock.advance(300)
      if (asked.result && !(asked.result instanceof GatewayError)) passed += 1
      else break
    }
    expect(passed).toBe(100)
  })

  test('the places of one that is gone come back when it was not seen for the time of the write-off', async () => {
    const { clock, join } = setUp()
    const [one, two] = [join(), join()]
    await one.take({ concurrency: 3 })
    await clock.advance(writeOffMs)
    // It has kept its place all that time.
    const kept = [await two.take({ concurrency: 3 }), await two.take({ concurrency: 3 })]
    await two.refusal({ concurrency: 3 })
    one.cut(true)
    await clock.advance(writeOffMs - 6_000)
    await two.refusal({ concurrency: 3 })
    await clock.advance(6_000)
    await two.take({ concurrency: 3 })
    await two.refusal({ concurrency: 3 })
    // The lost one gives no place that is not its own, finds back, and takes its turn.
    const before = await one.refusal({ concurrency: 3 })
    expect(before.code).toBe('books_unavailable')
    one.cut(false)
    await clock.advance(1_000)
    expect((await one.refusal({ concurrency: 3 })).code).toBe('rate_limit_exceeded')
    for (const ticket of kept) ticket.done(0)
    await clock.advance(500)
    await one.take({ concurrency: 3 })
  })

  test('without the database it goes on with what it has, says so when that ends, and comes back', async () => {
    const { clock, join } = setUp()
    const one = join()
    const limits = { rpm: 1000 }
    for (let n = 0; n < 50; n++) {
      await one.take(limits)
      await clock.advance(20)
    }
    one.cut(true)
    let passed = 0
    let asked = one.ask(limits)
    while (asked.now && passed < 1000) {
      passed += 1
      asked = one.ask(limits)
    }
    expect(passed).toBeGreaterThan(5)
    await clock.advance(600)
    expect(asked.result).toMatchObject({ code: 'books_unavailable', retryAfter: 1 })
    one.cut(false)
    await clock.advance(300)
    await one.take(limits)
  })

  test('who was suspended uses nothing of what the others may have been given since', async () => {
    const { clock, join, sleep } = setUp()
    const one = join()
    const limits = { rpm: 1000, concurrency: 100 }
    for (let n = 0; n < 50; n++) {
      await one.take(limits)
      await clock.advance(20)
    }
    const asked = one.ask(limits)
    expect(asked.now).toBe(true)
    one.cut(true)
    sleep(writeOffMs)
    expect(one.ask({ rpm: 1000 }).now).toBe(false)
    expect(one.ask({ concurrency: 100 }).now).toBe(false)
  })

  test('a limit that is lowered holds at once, one that is raised lets more through', async () => {
    const { clock, join } = setUp()
    const one = join()
    for (let n = 0; n < 20; n++) await one.take({ rpm: 1000 })
    await one.refusal({ rpm: 20 })
    await clock.advance(200)
    await one.take({ rpm: 21 })
    await one.refusal({ rpm: 21 })
  })

  test('close returns everything, and refuses waiting requests', async () => {
    const { clock, join } = setUp()
    const [one, two] = [join(), join()]
    await one.take({ concurrency: 1 })
    const closing = one.limiter.close()
    await clock.advance(100)
    await closing
    await two.take({ concurrency: 1 })
    expect((await one.refusal({ concurrency: 5 })).code).toBe('books_unavailable')
  })
})
