import { expect, test } from 'bun:test'
import type { Concern } from '#shared/console/overview'
import { linesOf } from './attention.ts'

const rest = (name: string, key: string | null, model: string | null, more: object = {}) =>
  ({ kind: 'rest', channel: { id: name, name }, key, model, state: 'open', cause: 'upstream_error', retryInMs: 30_000, ...more }) as Concern
const told = (...concerns: Concern[]) => linesOf(concerns).map(({ shape, title }) => [shape, title])

test('everything that rests in a channel is one line', () => {
  const many = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((model) => [rest('azure', 'k1', model), rest('azure', 'k2', model)])
  expect(told(...many, rest('other', 'k1', null), { kind: 'unpriced', model: 'm' })).toEqual([
    ['bad', 'azure: 6 models are resting'],
    ['bad', 'other: k1 is resting'],
    ['warn', 'm has no price'],
  ])
  expect(told(rest('one', 'k1', 'gpt-5'))).toEqual([['bad', 'one: gpt-5 via k1 is resting']])
  expect(told(rest('all', null, null))).toEqual([['bad', 'all: All models are resting']])
  expect(told(rest('mixed', 'k1', null), rest('mixed', 'k2', 'a'))).toEqual([['bad', 'mixed: 1 key and 1 model are resting']])
})

test('what is being retried is amber, and not counted as resting', () => {
  const halfOpen = { state: 'half-open', retryInMs: 0 }
  expect(told(rest('azure', 'k1', 'a', halfOpen), rest('azure', 'k1', 'b', halfOpen))).toEqual([
    ['warn', 'azure: 2 models are being retried'],
  ])
  expect(told(rest('azure', 'k1', 'a', halfOpen), rest('azure', 'k1', 'b'))).toEqual([['bad', 'azure: b via k1 is resting']])
  expect(linesOf([rest('azure', 'k1', 'a', halfOpen)])[0]?.why).toBe('The upstream failed. The next request retries it.')
})

test('the worst comes first, whatever it is', () => {
  const budget = (share: number) =>
    ({ kind: 'budget', of: 'key', id: 'k', name: 'ci', window: 'daily', limit: '5', left: '0', share }) as unknown as Concern
  expect(
    told({ kind: 'unpriced', model: 'm' }, budget(1.1), rest('azure', 'k1', 'a', { state: 'half-open' })).map(([shape]) => shape),
  ).toEqual([...['bad', 'warn', 'warn']])
})
