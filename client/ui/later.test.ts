import { expect, test } from 'bun:test'
import { untilThere } from './later.ts'

test('a failed load is retried until it succeeds', async () => {
  let tries = 0
  let waits = 0
  const load = async () => {
    tries += 1
    if (tries < 4) throw new TypeError('Failed to fetch dynamically imported module')
    return 'the part'
  }
  expect(
    await untilThere(load, async () => {
      waits += 1
    }),
  ).toBe('the part')
  expect([tries, waits]).toEqual([4, 3])
})
