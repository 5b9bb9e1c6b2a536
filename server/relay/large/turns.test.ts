import { expect, test } from 'bun:test'
import { createTurns } from './turns.ts'

test('one at a time, callers in turns, and a failure affects no other caller', async () => {
  const turns = createTurns()
  const done: string[] = []
  let running = 0
  const work = (name: string) => async () => {
    expect(++running).toBe(1)
    await Promise.resolve()
    running--
    done.push(name)
    if (name === 'a2') throw new Error('a2')
    return name
  }
  const asked = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => turns.take(name.slice(0, 1), work(name)))
  const ends = await Promise.allSettled(asked)
  // The first one starts before any other was added.
  expect(done).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'])
})
