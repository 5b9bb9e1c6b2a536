import { expect, test } from 'bun:test'
import { estimateTokens } from './estimate-tokens.ts'

test('estimates are about right for Latin and Han text', () => {
  expect(estimateTokens('a'.repeat(400))).toBe(100)
  expect(estimateTokens('你好世界')).toBe(3)
})
