import { expect, test } from 'bun:test'
import { commandOf, shortcuts } from './shortcuts.ts'

const key = (name: string, more: Partial<KeyboardEvent> = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...more,
})

test('single characters are shortcuts only outside fields and while switched on', () => {
  expect(commandOf(key('?'), false, true)).toBe('shortcuts')
  expect(commandOf(key('?'), true, true)).toBeUndefined()
  expect(commandOf(key('?'), false, false)).toBeUndefined()
  expect(commandOf(key('f', { metaKey: true, shiftKey: true }), true, false)).toBe('search')
  // This key belongs to the product-wide palette.
  expect(commandOf(key('k', { metaKey: true }), true, false)).toBeUndefined()
  expect(commandOf(key('F6'), true, false)).toBe('regions')
  expect(new Set(shortcuts.map((one) => one.command)).size).toBe(shortcuts.length)
})
