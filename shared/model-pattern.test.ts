import { expect, test } from 'bun:test'
import { threadNow } from '#testing/thread-time'
import { ModelSet, matchesPattern } from './model-pattern.ts'

test.each([
  ['gpt-5', 'gpt-5', true],
  ['gpt-5', 'gpt-5-mini', false],
  ['gpt-*', 'gpt-5', true],
  ['gpt-*', 'gpt-', true],
  ['gpt-*', 'my-gpt-5', false],
  ['*-mini', 'gpt-5-mini', true],
  ['*-mini', 'mini', false],
  ['*', '', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['claude-*-4-*', 'claude-sonnet-4-5', true],
  ['claude-*-4-*', 'claude-4-5', false],
  ['a*bc*bc', 'abc', false],
  ['a*bc*bc', 'abcbc', true],
  ['gpt.5*', 'gpt-5', false],
  ['GPT-*', 'gpt-5', false],
])('%s and %s: %p', (pattern, model, expected) => {
  expect(matchesPattern(pattern, model)).toBe(expected)
})

test('takes no time for a name made to be slow', () => {
  const pattern = `${'a*'.repeat(60)}b`
  const begun = threadNow()
  for (let n = 0; n < 1_000; n++) matchesPattern(pattern, 'a'.repeat(250))
  const plain = threadNow() - begun
  expect(matchesPattern(pattern, 'a'.repeat(250))).toBe(false)
  // A matcher that backtracks takes longer than a lifetime.
  expect(plain).toBeLessThan(10_000)
})

test('a set has what its names and patterns stand for', () => {
  const set = new ModelSet(['gpt-5', 'claude-*'])
  expect(['gpt-5', 'claude-opus-4-5', 'gpt-5-mini', ''].map((model) => set.has(model))).toEqual([true, true, false, false])
})
