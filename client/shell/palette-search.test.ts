import { expect, test } from 'bun:test'
import { withoutSecret } from './palette-search.ts'

test('a full key is searched by its end, and nothing else is changed', () => {
  expect(withoutSecret('sk-abcdefgh12345678Ab3d')).toBe('Ab3d')
  expect(withoutSecret('pk-abcdefgh12345678Ab3d')).toBe('Ab3d')
  for (const typed of ['sk-Ab3d', 'gpt-5', 'req_0123456789abcdef', 'sk-abc def ghijkl']) expect(withoutSecret(typed)).toBe(typed)
})
