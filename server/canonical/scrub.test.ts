import { describe, expect, test } from 'bun:test'
import { scrub, withoutWords } from './scrub.ts'

describe('accounts and places are removed from messages', () => {
  test.each([
    ['User: arn:aws:iam::123456789012:user/parley is not authorized', 'User: [removed] is not authorized'],
    ['Your workspace wrkspc_01AbC has reached its limit', 'Your workspace [removed] has reached its limit'],
    ['Account 123456789012 has no access', 'Account [removed] has no access'],
    ['Project projects/my-secret-project/locations/x was not found', 'Project [removed]/locations/x was not found'],
    ['cannot read /home/ann/models/llama.gguf', 'cannot read [removed]'],
    ['File /usr/lib/python3/site-packages/vllm/x.py line 3', 'File [removed] line 3'],
    ['C:\\Users\\ann\\model failed', '[removed]'],
  ])('%s', (message, wanted) => {
    expect(scrub(message)).toBe(wanted)
  })
  test.each([
    'messages[0].content: expected a string',
    "This model's maximum context length is 128000 tokens. You requested 1048576.",
    'Use /v1/responses instead of /v1/chat/completions',
    'Field /properties/name is required and/or wrong',
    'max_tokens must be at most 8192',
  ])('%s stays', (message) => {
    expect(scrub(message)).toBe(message)
  })
})

test('known words are removed wherever they stand, also where the text was cut in one', () => {
  const words = ['hunter2-is-my-key', 'llm.corp']
  expect(withoutWords('Key HUNTER2-is-my-key at llm.corp:8080 is wrong', words)).toBe('Key [removed] at [removed]:8080 is wrong')
  expect(withoutWords('Your key hunter2-is', words)).toBe('Your key [removed]')
  expect(withoutWords('a hunt', words)).toBe('a hunt')
  expect(withoutWords('a.b+c', ['.b+'])).toBe('a[removed]c')
})
