import { expect, test } from 'bun:test'
import { languageIn, languageOf, partsOf } from './colours.ts'

const call = `curl https://x/v1/chat/completions \\\n  -H "Authorization: Bearer $KEY" \\\n  -d '{"model": "m"}' | jq`

test('the body of a call is JSON, and nothing of the text is lost', () => {
  const parts = partsOf(call, languageOf('curl'))
  expect(parts.map(({ language }) => language)).toEqual(['bash', undefined, 'json', undefined, 'bash'])
  expect(parts[2]?.text).toBe('{"model": "m"}')
  expect(parts.map(({ text }) => text).join('')).toBe(call)
  expect(partsOf('print(1)', 'python')).toEqual([{ text: 'print(1)', language: 'python' }])
  expect(partsOf('curl https://x', 'bash')).toEqual([{ text: 'curl https://x', language: 'bash' }])
})

test('code that names no language is a call, JSON, or plain', () => {
  expect([call, '{"a": 1}', '[1]', 'data: {"a": 1}'].map(languageIn)).toEqual(['bash', 'json', 'json', undefined])
})
