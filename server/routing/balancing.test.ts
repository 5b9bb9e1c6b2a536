/** Each mode orders by its own figure, only within a rank, and by weight for equal figures. */
import { expect, test } from 'bun:test'
import type { BalancingMode } from '#shared/console/settings'
import { testCandidate as candidate, testChannel as channel } from '#testing/candidate'
import { handClock } from '#testing/hand-clock'
import { createBalancing } from './balancing.ts'
import { type Candidate, order } from './order.ts'

const channels = [channel('a'), channel('b'), channel('c')]
const fresh = () => channels.map((one) => candidate(one))

function balanced(mode: BalancingMode) {
  const clock = handClock()
  const balancing = createBalancing(clock, () => mode)
  /** The order of a request, whose first candidate begins. */
  const first = (): Candidate => {
    const [best] = order(fresh(), () => 0, balancing.rank())
    if (!best) throw new Error('there is one')
    balancing.begun(best)
    return best
  }
  return { clock, balancing, first }
}

test('round robin: each in turn', () => {
  const { first } = balanced('round_robin')
  expect(Array.from({ length: 7 }, () => first().channel.name)).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a'])
})

test('least open: the one with the fewest; an ended request stops counting, however often its end is reported', () => {
  const { balancing, first } = balanced('least_open')
  const [a, b, c] = [first(), first(), first()]
  expect([a, b, c].map(({ channel }) => channel.name)).toEqual(['a', 'b', 'c'])
  balancing.ended(b)
  balancing.ended(b)
  expect(first().channel.name).toBe('b')
  expect(balancing.figure(b)).toBe('1 open')
  for (const one of [a, b, c]) balancing.ended(one)
  expect(balancing.figure(c)).toBe('0 open')
})

test('lowest time to first content: unknown ones are tried, slow ones are left, and forgotten in five minutes', async () => {
  const { clock, balancing, first } = balanced('first_token')
  for (const ms of [300, 100, 200]) {
    const one = first()
    await clock.advance(ms)
    balancing.answered(one)
    balancing.ended(one)
  }
  expect(order(fresh(), () => 0, balancing.rank()).map(({ channel }) => channel.name)).toEqual(['b', 'c', 'a'])
  expect(balancing.figure(candidate(channels[0] ?? channel('a')))).toBe('300 ms')
  await clock.advance(300_000)
  expect(balancing.figure(candidate(channels[0] ?? channel('a')))).toBe('not known yet')
})

test('cheapest: by declared costs, undeclared last', () => {
  const costs = (input: string, output: string) => ({ costs: { [fresh()[0]?.model.name ?? '']: { input, output } } })
  const all = [channel('none'), channel('dear', costs('3', '15')), channel('cheap', costs('0.5', '2'))].map((one) => candidate(one))
  const { balancing } = balanced('cheapest')
  expect(order(all, () => 0, balancing.rank()).map(({ channel }) => channel.name)).toEqual(['cheap', 'dear', 'none'])
})

test('weight 0 stays last and priority first, whatever the figures; by weight nothing changes', () => {
  const all = [channel('spare', { weight: 0 }), channel('used'), channel('best', { priority: 1 })].map((one) => candidate(one))
  const { balancing } = balanced('least_open')
  for (const one of all.slice(1)) balancing.begun(one)
  expect(order(all, () => 0, balancing.rank()).map(({ channel }) => channel.name)).toEqual(['best', 'used', 'spare'])
  expect(balanced('weight').balancing.rank()).toBeUndefined()
})
