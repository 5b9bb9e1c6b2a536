import { expect, test } from 'bun:test'
import { spokenIn } from './spoken.ts'

const spoken = (headers: Record<string, string>, query = '') => {
  const url = new URL(`http://parley/v1/models${query}`)
  return spokenIn({ request: new Request(url, { headers }), url })
}

test.each([
  [{ 'anthropic-version': '2023-06-01' }, '', 'messages'],
  [{ 'partner-version': '2023-06-01', 'x-goog-api-key': 'sk-a' }, '', 'messages'],
  [{ 'x-api-key': 'sk-a' }, '', 'messages'],
  [{ 'x-third-api-key': 'sk-a' }, '', 'gemini'],
  [{ 'x-goog-api-key': 'sk-a' }, '', 'gemini'],
  [{}, '?key=sk-a', 'gemini'],
  [{ authorization: 'Bearer sk-a' }, '', 'chat'],
  // Empty values say nothing.
  [{ 'x-api-key': '', authorization: 'Bearer sk-a' }, '', 'chat'],
  [{ 'x-api-key': ' ', 'x-goog-api-key': 'sk-a' }, '', 'gemini'],
  [{ 'anthropic-version': '', 'x-api-key': 'sk-a' }, '', 'messages'],
  [{ 'anthropic-version': '', 'x-goog-api-key': '' }, '?key=', 'chat'],
  [{ 'x-api-key': '' }, '?key=&key=sk-a', 'gemini'],
])('%j %s speaks %s', (headers, query, dialect) => {
  expect(spoken(headers as Record<string, string>, query)).toBe(dialect as 'chat')
})
