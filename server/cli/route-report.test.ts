import { expect, test } from 'bun:test'
import { type RouteAnswer, routeReport } from './route-report.ts'

const candidate = { key: 'first', upstreamModel: 'up', dialect: 'messages', priority: 0, rank: 0, share: 0.25, losses: [], refused: null }
const loss = { field: 'sampling.seed', what: 'dropped', reason: 'It has none.' } as const
const answer: RouteAnswer = {
  group: 'default',
  model: 'm',
  candidates: [
    { ...candidate, channel: 'one', native: true },
    {
      ...candidate,
      channel: 'two',
      key: null,
      native: false,
      rank: 1,
      share: 1,
      losses: [loss],
      refused: { code: 'x', message: 'Strict.', param: null },
    },
  ],
  leftOut: [{ channel: 'three', key: null, reason: 'The channel is disabled.' }],
  fallbacks: { error: ['b', 'c'], context: [], filter: [] },
  largestCost: '0.1',
  error: null,
}

test('everything that is known, in the order in which it would happen', () => {
  expect(routeReport(answer).split('\n')).toEqual([
    'm in group default',
    '',
    'Tried in this order:',
    '  1. one (first): up, messages, unchanged, 25 % of draws',
    '  2. two: up, messages, converted',
    '       sampling.seed dropped: It has none.',
    '       skipped: Strict.',
    '',
    'Left out:',
    '  three: The channel is disabled.',
    '',
    'Fallback models:',
    '  after an error: b, c',
    '',
    'At most 0.1 USD.',
  ])
})

test('a refusal comes first, and what is empty is not there', () => {
  const nothing = { error: [], context: [], filter: [] }
  const refused = { ...answer, candidates: [], leftOut: [], fallbacks: nothing, largestCost: null, error: { code: 'x', message: 'No.' } }
  expect(routeReport(refused)).toBe('m in group default\nRefused now: No.')
})
