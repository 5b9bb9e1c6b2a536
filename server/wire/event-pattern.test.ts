import { expect, test } from 'bun:test'
import type { Frame } from '#shared/sse'
import { createSseSplitter } from '#shared/sse'
import { bytewise, encoded } from './bytewise.ts'
import { eventPattern } from './event-pattern.ts'

const read = (json: string) => (JSON.parse(json) as { d?: { content?: string } }).d?.content
const eventOf = (content: string, more: object = {}) => `event: e\ndata: ${JSON.stringify({ id: 'a', d: { content }, ...more })}\n\n`
const frameOf = (event: string): Frame => createSseSplitter().push(Buffer.from(event))[0] as Frame
const patternOf = (event: string, value: string) => eventPattern(frameOf(event), value, read)

/** What the pattern of one event finds in another, between two more. */
function found(known: ReturnType<typeof patternOf>, event: string) {
  if (!known) throw new Error('nothing known')
  const text = encoded(event)
  const end = known.match(encoded('x') + text + text, 1)
  return end < 0 ? undefined : { end: end - 1 === text.length, text: known.text, bytes: known.bytes, json: known.json }
}

const texts = ['x', ' world', 'é\u{1F600}', "{'}", '\u2028', 'a"b', 'a\\b', '\\', '\\"', 'a\nb', '\u0001', '\ud83d', '","id":"']

test('the string of an event that is alike is found, however it is spelled', () => {
  const known = patternOf(eventOf('Hello'), 'Hello')
  for (const text of texts) {
    const json = encoded(JSON.stringify(text).slice(1, -1))
    const escaped = eventOf(text).replace(/[\u0080-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
    for (const event of [eventOf(text), escaped]) {
      expect(found(known, event)).toEqual({ end: true, text, bytes: Buffer.byteLength(text), json })
    }
  }
})

test('an event that differs anywhere else, or whose string is empty or no valid one, is not', () => {
  const known = patternOf(eventOf('Hello'), 'Hello')
  const one = eventOf('x')
  const others = [
    eventOf(''),
    eventOf('x', { usage: null }),
    one.replace('"a"', '"b"'),
    one.replace('event: e', 'event: f'),
    one.replace('}}\n', '}} \n'),
    one.slice(0, -1),
    one.replace('"x"', '"x","role":"y"'),
    one.replace('"x"', '"\\q"'),
    one.replace('"x"', '"a\tb"'),
    one.replace('"x"', '"a\nb"'),
    one.replace('"x"', '"\ufffd"'),
    '',
  ]
  for (const event of others) expect(found(known, event)).toBeUndefined()
  const broken = bytewise(Buffer.from([...Buffer.from(one)].map((byte) => (byte === 0x78 ? 0xff : byte))))
  expect(known?.match(broken, 0)).toBe(-1)
})

test('what counts events or fills them up may differ', () => {
  const known = patternOf(eventOf('Hello', { sequence_number: 9, obfuscation: 'aB3' }), 'Hello')
  for (const more of [
    { sequence_number: 10, obfuscation: '' },
    { sequence_number: 0, obfuscation: 'x'.repeat(9) },
  ]) {
    expect(found(known, eventOf('x', more))?.text).toBe('x')
  }
  for (const more of [{ sequence_number: -1, obfuscation: '' }, { sequence_number: 1.5, obfuscation: '' }, { sequence_number: 1 }]) {
    expect(found(known, eventOf('x', more))).toBeUndefined()
  }
  expect(found(known, eventOf('x', { sequence_number: 7, obfuscation: 'a' }).replace(':7,', ':07,'))).toBeUndefined()
  expect(found(known, eventOf('x', { sequence_number: 7, obfuscation: 'a"' }))).toBeUndefined()
})

test('where it cannot be told which string it is, nothing is known', () => {
  expect(patternOf(eventOf('a'), 'a')).toBeUndefined()
  expect(patternOf(eventOf('content'), 'content')).toBeUndefined()
  expect(patternOf(eventOf(''), '')).toBeUndefined()
  expect(patternOf(eventOf('a\nb'), 'a\nb')).toBeUndefined()
  // The literal belongs to another field than the one that is read.
  expect(patternOf('data: {"id":"a","d":{"content":"\\u0061"}}\n\n', 'a')).toBeUndefined()
  expect(patternOf('data: {"id":"a",\ndata: "d":{"content":"Hello"}}\n\n', 'Hello')).toBeUndefined()
})

test('edits of the event that it was made of are made in each', () => {
  const more = { model: 'up', usage: null, obfuscation: 'aB3' }
  const event = eventOf('Hello', more)
  const at = (part: string) => ({ start: event.indexOf(part), end: event.indexOf(part) + part.length })
  const edits = [
    { ...at('"up"'), text: '"asked"' },
    { ...at('"usage":null,'), text: '' },
  ]
  const known = eventPattern(frameOf(event), 'Hello', read, edits)
  for (const [text, filling] of [
    ['x', ''],
    ['a"b é', 'qq'],
  ] as const) {
    const other = eventOf(text, { ...more, obfuscation: filling })
    expect(known?.match(encoded(other), 0)).toBe(encoded(other).length)
    expect(known?.edited).toBe(encoded(other.replace('"up"', '"asked"').replace('"usage":null,', '')))
  }
  expect(patternOf(event, 'Hello')?.edited).toBeUndefined()
  // An edit of what differs itself.
  expect(eventPattern(frameOf(event), 'Hello', read, [{ ...at('Hello'), text: 'x' }])).toBeUndefined()
})
