import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { handClock } from '#testing/hand-clock'
import { createPurse } from './purse.ts'
import { openTab } from './tab.ts'

const look = 4096

/** A stream that has cost `spent`, on a balance that answers as told. */
function running(grow: (extra: bigint) => Promise<boolean>, held = 100n) {
  const clock = handClock()
  const state = { spent: 0n, counted: undefined as bigint | undefined, notes: 0 }
  const tab = openTab({
    clock,
    purse: createPurse({ held, step: 100n, grow }),
    spent: () => state.spent,
    counted: () => state.counted ?? state.spent,
    note: () => {
      state.notes += 1
    },
  })
  return { clock, state, tab }
}

const codeOf = async (asked: Promise<GatewayError | undefined> | undefined) => (await asked)?.code

describe('the running bill of a stream', () => {
  test('is looked at every few kilobytes, and asks for more at seven tenths while the stream goes on', async () => {
    const asked: bigint[] = []
    const { state, tab } = running(async (extra) => asked.push(extra) > 0)
    state.spent = 70n
    expect(tab.passed(look)).toBeUndefined()
    state.spent = 71n
    expect(tab.passed(look - 1)).toBeUndefined()
    expect(asked).toEqual([])
    expect(tab.passed(1)).toBeUndefined()
    expect(asked).toEqual([71n])
    await tab.close()
  })

  test('a hold that is used up stops the stream until the books have answered', async () => {
    const answer = Promise.withResolvers<boolean>()
    const { state, tab } = running(() => answer.promise)
    state.spent = 101n
    const asked = tab.passed(look)
    expect(asked).toBeInstanceOf(Promise)
    answer.resolve(true)
    expect(await asked).toBeUndefined()
  })

  test('when the balance covers no more, the answer ends', async () => {
    const { state, tab } = running(async () => false)
    state.spent = 101n
    expect(await codeOf(tab.passed(look))).toBe('insufficient_quota')
  })

  test('what looked like too much is counted before anything is ended', async () => {
    const { state, tab } = running(async () => false)
    state.spent = 101n
    state.counted = 100n
    expect(await codeOf(tab.passed(look))).toBeUndefined()
  })

  test('books that never answer end it all the same, and it is not called a matter of money', async () => {
    const { clock, state, tab } = running(() => new Promise(() => undefined))
    state.spent = 101n
    const asked = codeOf(tab.passed(look))
    await clock.advance(1_599)
    expect(await Promise.race([asked, Promise.resolve('waits')])).toBe('waits')
    await clock.advance(1)
    expect(await asked).toBe('books_unavailable')
  })

  test('books that cannot be asked are told as they tell it', async () => {
    const { state, tab } = running(() => Promise.reject(new GatewayError('journal_full', 'Full.')))
    state.spent = 101n
    expect(await codeOf(tab.passed(look))).toBe('journal_full')
  })

  test('the journal is told at the first content, then each second in which something came, and never after the end', async () => {
    const { clock, state, tab } = running(async () => true)
    void tab.passed(1)
    expect(state.notes).toBe(1)
    for (let ms = 0; ms < 900; ms += 100) {
      void tab.passed(1)
      await clock.advance(100)
    }
    expect(state.notes).toBe(1)
    await clock.advance(100)
    expect(state.notes).toBe(2)
    await clock.advance(10_000)
    expect(state.notes).toBe(2)
    void tab.passed(1)
    await tab.close()
    await clock.advance(10_000)
    expect(state.notes).toBe(2)
    expect(tab.passed(look)).toBeUndefined()
  })
})
