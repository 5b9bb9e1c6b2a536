import { expect, test } from 'bun:test'
import { revealHiddenCharacters } from './reveal-hidden-characters.ts'

test('hidden characters are shown, all others stay', () => {
  expect(revealHiddenCharacters('a\u202eb')).toBe('a⟨U+202E⟩b')
  expect(revealHiddenCharacters('plain 😀 行')).toBe('plain 😀 行')
})
