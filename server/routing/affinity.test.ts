import { expect, test } from 'bun:test'
import { testCandidate as candidate, testChannel as channel, channelKey as key } from '#testing/candidate'
import { handClock } from '#testing/hand-clock'
import { createAffinity } from './affinity.ts'

const scope = ['tenant', 'search'] as const
const a = candidate(channel('a'))
const two = channel('b', { keys: [key('b1'), key('b2')] })
const b1 = candidate(two, key('b1'))
const b2 = candidate(two, key('b2'))
const planned = [a, b1, b2]

test('what is not known stays as planned', () => {
  expect(createAffinity(handClock()).prefer(scope, ['x'], planned)).toBe(planned)
})

test('the channel and key that served come first, and the others stay in order behind them', () => {
  const affinity = createAffinity(handClock())
  affinity.served(scope, ['x'], b2)
  expect(affinity.prefer(scope, ['x'], planned)).toEqual([b2, a, b1])
  expect(affinity.prefer(['other', 'search'], ['x'], planned)).toBe(planned)
  expect(affinity.prefer(['tenant', 'cache'], ['x'], planned)).toBe(planned)
})

test('the first name that is known and still planned decides', () => {
  const affinity = createAffinity(handClock())
  affinity.served(scope, ['gone'], candidate(channel('gone')))
  affinity.served(scope, ['x', 'y'], b1)
  affinity.served(scope, ['y'], a)
  expect(affinity.prefer(scope, ['unknown', 'gone', 'x', 'y'], planned)[0]).toBe(b1)
  expect(affinity.prefer(scope, ['y', 'x'], planned)[0]).toBe(a)
  expect(affinity.prefer(scope, ['x'], [a])).toEqual([a])
})

test('it lasts an hour after the last use', async () => {
  const clock = handClock()
  const affinity = createAffinity(clock)
  affinity.served(scope, ['x'], b1)
  await clock.advance(3_599_999)
  expect(affinity.prefer(scope, ['x'], planned)[0]).toBe(b1)
  affinity.served(scope, ['x'], b1)
  await clock.advance(3_599_999)
  expect(affinity.prefer(scope, ['x'], planned)[0]).toBe(b1)
  await clock.advance(1)
  expect(affinity.prefer(scope, ['x'], planned)).toBe(planned)
})

test('memory is bounded: what was used longest ago goes first', () => {
  const affinity = createAffinity(handClock(), { entries: 2, lifetime: 1000 })
  for (const name of ['x', 'y', 'x', 'z']) affinity.served(scope, [name], b1)
  expect(['x', 'y', 'z'].filter((name) => affinity.prefer(scope, [name], planned)[0] === b1)).toEqual(['x', 'z'])
})
