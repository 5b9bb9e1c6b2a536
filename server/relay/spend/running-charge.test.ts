import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { handClock } from '#testing/hand-clock'
import { openRunningCharge } from './running-charge.ts'
import { createTopUp } from './top-up.ts'

const look = 4096

/** A stream that has cost `spent`, on a balance that `grow` simulates. */
function running(grow: (extra: bigint) => Promise<boolean>, held = 100n) {
  const clock = handClock()
  const state = { spent: 0n, counted: undefined as bigint | undefined, counts: 0, price: 0n, notes: 0 }
  const charge = openRunningCharge({
    clock,
    topUp: createTopUp({ held, step: 100n, grow }),
    spent: () => state.spent,
    counted: () => {
      state.counts += 1
      return state.counted ?? state.spent
    },
    worth: (bytes) => (state.price * BigInt(bytes)) / 1024n,
    note: () => {
      state.notes += 1
    },
  })
  return { clock, state, charge }
}

const codeOf = async (asked: Promise<GatewayError | undefined> | undefined) => (await asked)?.code

describe('the running bill of a stream', () => {
  test('is looked at every few kilobytes, and asks for more at seven tenths while the stream goes on', async () => {
    const asked: bigint[] = []
    const { state, charge } = running(async (extra) => asked.push(extra) > 0)
    state.spent = 70n
    expect(charge.passed(look)).toBeUndefined()
    state.spent = 71n
    expect(charge.passed(look - 1)).toBeUndefined()
    expect(asked).toEqual([])
    expect(charge.passed(1)).toBeUndefined()
    expect(asked).toEqual([71n])
    await charge.close()
  })

  test('a hold that is used up stops the stream until the books have answered', async () => {
    const answer = Promise.withResolvers<boolean>()
    const { state, charge } = running(() => answer.promise)
    state.spent = 101n
    const asked = charge.passed(look)
    expect(asked).toBeInstanceOf(Promise)
    answer.resolve(true)
    expect(await asked).toBeUndefined()
  })

  test('when the balance covers no more, the answer ends', async () => {
    const { state, charge } = running(async () => false)
    state.spent = 101n
    expect(await codeOf(charge.passed(look))).toBe('insufficient_quota')
  })

  test('what looked like too much is counted before anything is ended', async () => {
    const { state, charge } = running(async () => false)
    state.spent = 101n
    state.counted = 100n
    expect(await codeOf(charge.passed(look))).toBeUndefined()
  })

  test('is looked at the oftener the less is left, and at every event when nothing is', async () => {
    const { state, charge } = running(async () => false)
    state.price = 10n
    state.spent = 20n
    expect(charge.room()).toBe(0)
    expect(charge.passed(1)).toBeUndefined()
    expect(charge.room()).toBe(look)
    state.spent = 80n
    expect(charge.passed(look)).toBeUndefined()
    // Twenty are left, and a kilobyte is worth ten.
    expect(charge.room()).toBe(2048)
    state.spent = 95n
    expect(charge.passed(2048)).toBeUndefined()
    expect(charge.room()).toBe(512)
    state.spent = 100n
    expect(charge.passed(512)).toBeUndefined()
    expect(charge.room()).toBe(0)
    state.spent = 101n
    expect(await codeOf(charge.passed(1))).toBe('insufficient_quota')
  })

  test('is counted now and then once half of the hold is used up, and a dense text ends where its tokens do', async () => {
    const { state, charge } = running(async () => false, 1000n)
    state.price = 10n
    for (let spent = 10n; spent <= 500n; spent += 10n) {
      state.spent = spent
      expect(charge.passed(look)).toBeUndefined()
    }
    expect(state.counts).toBe(0)
    // One and a half times the estimate of four bytes per token.
    let stopped: unknown
    for (let spent = 510n; stopped === undefined; spent += 10n) {
      state.spent = spent
      state.counted = (spent * 3n) / 2n
      stopped = charge.passed(look)
    }
    expect(state.counted).toBe(1005n)
    expect(await codeOf(stopped as Promise<GatewayError | undefined>)).toBe('insufficient_quota')
    expect(state.counts).toBeLessThan(6)
  })

  test('books that never answer end it all the same, and it is not called a matter of money', async () => {
    const { clock, state, charge } = running(() => new Promise(() => undefined))
    state.spent = 101n
    const asked = codeOf(charge.passed(look))
    await clock.advance(1_599)
    expect(await Promise.race([asked, Promise.resolve('waits')])).toBe('waits')
    await clock.advance(1)
    expect(await asked).toBe('books_unavailable')
  })

  test('unavailable books are reported with their own error', async () => {
    const { state, charge } = running(() => Promise.reject(new GatewayError('journal_full', 'Full.')))
    state.spent = 101n
    expect(await codeOf(charge.passed(look))).toBe('journal_full')
  })

  test('progress is written before the first output, then each second in which something is sent, and never after the end', async () => {
    const { clock, state, charge } = running(async () => true)
    void charge.passed(1)
    expect(state.notes).toBe(0)
    charge.delivering()
    expect(state.notes).toBe(1)
    for (let ms = 0; ms < 900; ms += 100) {
      charge.delivering()
      await clock.advance(100)
    }
    expect(state.notes).toBe(1)
    await clock.advance(100)
    expect(state.notes).toBe(2)
    await clock.advance(10_000)
    expect(state.notes).toBe(2)
    charge.delivering()
    await charge.close()
    charge.delivering()
    await clock.advance(10_000)
    expect(state.notes).toBe(2)
    expect(charge.passed(look)).toBeUndefined()
  })
})
