import { expect, test } from 'bun:test'
import { changingString, stringWithin } from './changing-string.ts'

const read = (parsed: unknown) => (parsed as { d?: { content?: unknown } }).d?.content
const textOf = (content: string, more: object = {}) => JSON.stringify({ id: 'a', d: { content }, ...more })

test('the string of a text that is alike is found', () => {
  const known = changingString(textOf('Hello'), 'Hello', read)
  if (!known) throw new Error('nothing known')
  for (const said of ['x', ' world', 'é\u{1F600}', '{"}'.replace('"', "'"), '\u2028']) expect(stringWithin(known, textOf(said))).toBe(said)
})

test('a text that differs anywhere else, or whose string is empty or escaped, is not', () => {
  const known = changingString(textOf('Hello'), 'Hello', read)
  if (!known) throw new Error('nothing known')
  const others = [
    textOf(''),
    textOf('a"b'),
    textOf('a\\b'),
    textOf('a\nb'),
    textOf('x', { usage: null }),
    '{"id":"a","d":{"content":"}}',
    '',
  ]
  for (const text of [...others, textOf('x').replace('"a"', '"b"'), `${textOf('x')} `, textOf('a","b":"c')]) {
    expect(stringWithin(known, text)).toBeUndefined()
  }
  // Two fields in the place of one.
  expect(stringWithin(known, '{"id":"a","d":{"content":"x","role":"y"}}')).toBeUndefined()
})

test('where it cannot be told which string it is, nothing is known', () => {
  expect(changingString(textOf('a'), 'a', read)).toBeUndefined()
  expect(changingString(textOf('content'), 'content', read)).toBeUndefined()
  expect(changingString(textOf(''), '', read)).toBeUndefined()
  expect(changingString(textOf('a\nb'), 'a\nb', read)).toBeUndefined()
  expect(changingString('{"id":"x","d":{"content":"\\u0061"}}', 'a', read)).toBeUndefined()
  // The literal belongs to another field than the one that is read.
  expect(changingString('{"id":"a","d":{"content":"\\u0061"}}', 'a', read)).toBeUndefined()
})
