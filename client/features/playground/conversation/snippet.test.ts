import { expect, test } from 'bun:test'
import { snippetOf } from './snippet.ts'

test('a match is shown in one line with the words around it', () => {
  expect(snippetOf('The island of Zanzibar\n\nlies there.', 'zanzibar')).toEqual({
    before: '…island of ',
    match: 'Zanzibar',
    after: ' lies there.',
  })
  // Little of the preceding text, so that the match itself is visible.
  const long = snippetOf(`${'a '.repeat(200)}here${' b'.repeat(200)}`, 'here')
  expect(long?.before.startsWith('…')).toBe(true)
  expect(long?.after.endsWith('…')).toBe(true)
  expect(`${long?.before}${long?.after}`.length).toBeLessThan(80)
  expect(snippetOf('nothing', 'else')).toBeUndefined()
})
