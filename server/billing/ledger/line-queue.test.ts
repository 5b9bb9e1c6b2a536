import { describe, expect, spyOn, test } from 'bun:test'
import type { EncodedLine } from '#billing/journal/encoded-line'
import { createLineQueue } from './line-queue.ts'

const lineOf = (n: number): EncodedLine => ({ id: `r${n}`, at: 0, accounts: [], owed: 0n, covered: 0n, bytes: new Uint8Array() })

describe('a queue of lines', () => {
  test('brings every line once, in order, however it is filled and emptied', () => {
    const queue = createLineQueue()
    const seen: string[] = []
    let added = 0
    for (let turn = 0; turn < 200; turn++) {
      for (let n = 0; n < (turn * 37) % 301; n++) queue.add(lineOf(added++))
      const some = queue.next()
      seen.push(...some.map(({ id }) => id))
      queue.remove(some)
    }
    while (queue.size() > 0) {
      const some = queue.next()
      seen.push(...some.map(({ id }) => id))
      queue.remove(some)
    }
    expect(seen).toEqual(Array.from({ length: added }, (_, n) => `r${n}`))
  })

  test('a caller that waits for a line is notified when it has left, at a wake, or at once if it is not there', async () => {
    const queue = createLineQueue()
    const [first, second, third] = [lineOf(1), lineOf(2), lineOf(3)]
    for (const line of [first, second, third]) queue.add(line)
    const heard: string[] = []
    const release = (line: EncodedLine) => queue.gone(line).then(() => heard.push(line.id))
    void release(first)
    void release(third)
    void release(third)
    queue.remove([first])
    await release(first)
    expect(heard).toEqual(['r1', 'r1'])
    queue.remove([second, third])
    await release(third)
    expect(heard).toEqual(['r1', 'r1', 'r3', 'r3', 'r3'])
    await release(lineOf(4))
    const fifth = lineOf(5)
    queue.add(fifth)
    const woken = release(fifth)
    queue.wake()
    await woken
    expect(heard.slice(5)).toEqual(['r4', 'r5'])
  })

  test('a call costs no more with a hundred thousand lines waiting', () => {
    const queue = createLineQueue()
    for (let n = 0; n < 100_000; n++) queue.add(lineOf(n))
    let copied = 0
    const count = (list: { length: number }) => {
      copied += list.length
    }
    const { slice, splice } = Array.prototype
    const spies = [
      spyOn(Array.prototype, 'slice').mockImplementation(function (this: unknown[], ...range) {
        const part = slice.apply(this, range)
        count(part)
        return part
      }),
      spyOn(Array.prototype, 'splice').mockImplementation(function (this: unknown[], ...range: unknown[]) {
        count(this)
        return splice.apply(this, range as [number, number])
      }),
    ]
    try {
      while (queue.size() > 0) queue.remove(queue.next())
    } finally {
      for (const spy of spies) spy.mockRestore()
    }
    // Each line once for its call, and now and then those that are left.
    expect(copied).toBeLessThan(400_000)
  })
})
