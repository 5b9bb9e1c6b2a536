import { describe, expect, test } from 'bun:test'
import { createLimiter } from '#billing/ratelimit/limits'
import { GatewayError } from '#shared/errors'
import { handClock } from '#testing/hand-clock'
import { createIntake } from './intake.ts'

const mebibyte = 1024 * 1024
const codeOf = async (admitted: Promise<unknown>) =>
  admitted.then(
    () => 'admitted',
    (thrown: unknown) => (thrown as GatewayError).code,
  )

interface Setting {
  hasMoney?: boolean
  /** Prices of the models. */
  prices?: Record<string, bigint>
}

function intake({ hasMoney = true, prices = { dear: 1n } }: Setting = {}) {
  const clock = handClock()
  const limiter = createLimiter(clock)
  const book = Object.entries(prices).map(([model, rate]) => ({ model, rates: { input: rate, output: rate, tiers: [] } }))
  const parts = {
    clock,
    limiter,
    prices: { all: () => book.values() },
    books: {
      async affords() {
        if (!hasMoney) throw new GatewayError('insufficient_quota', 'No money.')
      },
    },
  }
  return { limiter, ...createIntake(parts as unknown as Parameters<typeof createIntake>[0]) }
}

function callerWith(id: string, models: ReadonlySet<string> | null = null, rpm?: number) {
  const key = { id, limits: rpm === undefined ? null : { rpm }, budget: null }
  const caller = {
    key,
    user: { id: 'u', limits: null, budget: null },
    group: { name: 'g', ratio: 1_000_000n, limits: null, budget: null },
    models,
  }
  return caller as unknown as Parameters<ReturnType<typeof intake>['admit']>[0]['caller']
}

describe('a large body', () => {
  test('is not read without money, unless the caller may ask for something that costs nothing', async () => {
    const caller = callerWith('k')
    expect(await codeOf(intake({ hasMoney: false }).admit({ caller, bytes: mebibyte }))).toBe('insufficient_quota')
    const { admit } = intake({ hasMoney: false, prices: { dear: 1n, free: 0n } })
    expect(await codeOf(admit({ caller, bytes: mebibyte }))).toBe('admitted')
    expect(await codeOf(admit({ caller: callerWith('k', new Set(['dear'])), bytes: mebibyte }))).toBe('insufficient_quota')
    expect(await codeOf(admit({ caller: callerWith('k', new Set(['free'])), bytes: mebibyte }))).toBe('admitted')
  })

  test('is not read beyond a limit', async () => {
    const { limiter, admit } = intake()
    const caller = callerWith('k', null, 1)
    expect(await codeOf(admit({ caller, bytes: mebibyte }))).toBe('admitted')
    limiter.take([{ id: 'key:k', limits: { rpm: 1 } }], 1)
    expect(await codeOf(admit({ caller, bytes: mebibyte }))).toBe('rate_limit_exceeded')
  })

  test('has room by key and for all, which comes back; a single one always has', async () => {
    const { admit } = intake()
    const one = callerWith('one')
    const { release } = await admit({ caller: one, bytes: 90 * mebibyte })
    expect(await codeOf(admit({ caller: one, bytes: 10 * mebibyte }))).toBe('rate_limit_exceeded')
    release()
    const giveBack = [(await admit({ caller: one, bytes: 1000 * mebibyte })).release]
    expect(await codeOf(admit({ caller: callerWith('other'), bytes: mebibyte }))).toBe('overloaded')
    giveBack[0]?.()
    for (let n = 0; n < 8; n += 1) giveBack.push((await admit({ caller: callerWith(`${n}`), bytes: 96 * mebibyte })).release)
    expect(await codeOf(admit({ caller: one, bytes: mebibyte }))).toBe('overloaded')
    // Spooled bodies have a limit of their own.
    expect(await codeOf(admit({ caller: one, bytes: 400 * mebibyte, isSpooled: true }))).toBe('admitted')
    expect(await codeOf(admit({ caller: one, bytes: 400 * mebibyte, isSpooled: true }))).toBe('rate_limit_exceeded')
    giveBack[1]?.()
    expect(await codeOf(admit({ caller: one, bytes: mebibyte }))).toBe('admitted')
  })
})

describe('a body without a content length', () => {
  test('takes room as it arrives, and is refused where there is none left', async () => {
    const { admit } = intake()
    const one = callerWith('one')
    const first = await admit({ caller: one, bytes: mebibyte })
    const second = await admit({ caller: one, bytes: mebibyte })
    first.grow(64 * mebibyte)
    first.grow(32 * mebibyte)
    second.grow(32 * mebibyte)
    expect(() => second.grow(33 * mebibyte)).toThrow('96 MiB in total')
    expect(await codeOf(admit({ caller: one, bytes: mebibyte }))).toBe('rate_limit_exceeded')
    first.release()
    first.release()
    second.grow(96 * mebibyte)
    // The only body may be as large as its endpoint accepts.
    second.grow(1000 * mebibyte)
    second.release()
    first.grow(500 * mebibyte)
    expect(await codeOf(admit({ caller: one, bytes: 96 * mebibyte }))).toBe('admitted')
  })

  test('counts for all, too', async () => {
    const { admit } = intake()
    const rooms = await Promise.all(Array.from({ length: 9 }, (_, n) => admit({ caller: callerWith(`${n}`), bytes: mebibyte })))
    for (const room of rooms.slice(0, 8)) room.grow(95 * mebibyte)
    expect(() => rooms[8]?.grow(9 * mebibyte)).toThrow('Too much is being read at once')
    expect(() => rooms[8]?.grow(8 * mebibyte)).not.toThrow()
  })
})

test('a small body is read without a question', async () => {
  expect(await codeOf(intake({ hasMoney: false }).admit({ caller: callerWith('k'), bytes: 64 * 1024 }))).toBe('admitted')
})
