import { describe, expect, test } from 'bun:test'
import { createTopUp } from './top-up.ts'

/** A balance that answers one turn later, and what was asked of it. */
function balance(free: bigint) {
  const asked: bigint[] = []
  return {
    asked,
    async grow(extra: bigint) {
      asked.push(extra)
      await Promise.resolve()
      if (extra > free) return false
      free -= extra
      return true
    },
  }
}

describe('a hold that grows', () => {
  test('asks for nothing while there is enough and to spare', () => {
    const { asked, grow } = balance(1000n)
    const topUp = createTopUp({ held: 100n, step: 80n, grow })
    expect(topUp.cover(60n)).toBeUndefined()
    expect(asked).toEqual([])
  })

  test('asks ahead of need, once, and lets the work go on meanwhile', async () => {
    const { asked, grow } = balance(1000n)
    const topUp = createTopUp({ held: 100n, step: 80n, grow })
    expect(topUp.cover(77n)).toBeUndefined()
    expect(topUp.cover(86n)).toBeUndefined()
    await topUp.quiet()
    expect(asked).toEqual([57n])
    expect(topUp.cover(133n)).toBeUndefined()
    expect(topUp.quiet()).toBeUndefined()
  })

  test('waits when more is needed than is held', async () => {
    const { asked, grow } = balance(1000n)
    const topUp = createTopUp({ held: 100n, step: 80n, grow })
    expect(await topUp.cover(150n)).toBe(true)
    expect(asked).toEqual([130n])
  })

  test('uses the last of the balance, and then refuses', async () => {
    const { asked, grow } = balance(5n)
    const topUp = createTopUp({ held: 100n, step: 80n, grow })
    expect(await topUp.cover(105n)).toBe(true)
    expect(asked).toEqual([85n, 15n, 5n])
    expect(await topUp.cover(106n)).toBe(false)
    expect(topUp.cover(105n)).toBeUndefined()
  })

  test('no request waits for a balance that answers at once', async () => {
    let free = 90n
    const asked: bigint[] = []
    const grow = (extra: bigint) => {
      asked.push(extra)
      if (extra > free) return false
      free -= extra
      return true
    }
    const topUp = createTopUp({ held: 100n, step: 80n, grow })
    expect(topUp.cover(110n)).toBeUndefined()
    expect(topUp.quiet()).toBeUndefined()
    expect(await topUp.cover(191n)).toBe(false)
    expect(topUp.cover(190n)).toBeUndefined()
    expect(await topUp.cover(191n)).toBe(false)
    expect(asked).toEqual([90n, 81n, 11n, 1n, 1n])
  })

  test('waiters that need different amounts each get their own answer', async () => {
    const { grow } = balance(60n)
    const topUp = createTopUp({ held: 100n, step: 0n, grow })
    expect(await Promise.all([topUp.cover(161n), topUp.cover(120n), topUp.cover(160n)])).toEqual([false, true, true])
  })

  test('asks for no more than the work can come to, unless it is needed', async () => {
    const { asked, grow } = balance(1000n)
    const topUp = createTopUp({ held: 100n, step: 80n, most: 120n, grow })
    expect(topUp.cover(90n)).toBeUndefined()
    await topUp.quiet()
    expect(topUp.cover(120n)).toBeUndefined()
    expect(topUp.quiet()).toBeUndefined()
    expect(await topUp.cover(125n)).toBe(true)
    expect(asked).toEqual([20n, 5n])
  })

  test('work that comes to more than it could is held for in larger steps from then on', async () => {
    const { asked, grow } = balance(1000n)
    const topUp = createTopUp({ held: 100n, step: 20n, most: 120n, beyond: 400n, grow })
    expect(await topUp.cover(110n)).toBe(true)
    expect(await topUp.cover(125n)).toBe(true)
    expect(await topUp.cover(130n)).toBe(true)
    expect(topUp.cover(400n)).toBeUndefined()
    expect(asked).toEqual([20n, 5n, 405n])
  })

  test('free work needs no money', () => {
    const topUp = createTopUp({ held: 0n, step: 0n, grow: () => Promise.reject(new Error('asked')) })
    expect(topUp.cover(0n)).toBeUndefined()
  })

  test('books that cannot be asked are a rejection where the answer matters, and silence where it does not', async () => {
    const topUp = createTopUp({ held: 100n, step: 80n, grow: () => Promise.reject(new Error('away')) })
    expect(topUp.cover(99n)).toBeUndefined()
    await topUp.quiet()
    expect(await topUp.cover(101n)?.catch((thrown: Error) => thrown.message)).toBe('away')
  })
})
