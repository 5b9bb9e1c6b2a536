import { expect, test } from 'bun:test'
import { bytesOf, bytewise } from './bytewise.ts'

const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)

test('every byte is one character, and comes back', () => {
  expect(bytesOf(bytewise(bytes))).toEqual(Buffer.from(bytes))
})

test('a part of a part, as far as there is one', () => {
  const part = bytes.subarray(65, 70)
  expect([bytewise(part), bytewise(part, 3), bytewise(part, 1, 3), bytewise(part, 3, 300)]).toEqual(['ABCDE', 'DE', 'BC', 'DE'])
  expect(bytewise(new Uint8Array(0), 0, 5)).toBe('')
})
