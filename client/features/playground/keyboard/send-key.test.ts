import { expect, test } from 'bun:test'
import { isSendKey } from './send-key.ts'

const key = (name: string, more: Partial<KeyboardEvent> = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...more,
})

test('Enter sends when it should', () => {
  expect(isSendKey(key('Enter'), true)).toBe(true)
  expect(isSendKey(key('Enter', { shiftKey: true }), true)).toBe(false)
  expect(isSendKey(key('Enter'), false)).toBe(false)
  expect(isSendKey(key('Enter', { ctrlKey: true }), false)).toBe(true)
})
