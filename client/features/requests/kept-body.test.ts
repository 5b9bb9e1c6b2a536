import { expect, test } from 'bun:test'
import { bothWays, eventsOf, formatted, framesOf, isStream } from './kept-body.ts'

test('an event has the time at which its last byte arrived, counted in bytes', () => {
  const text = 'data: é\n\ndata: b\n\ndata: [DONE]\n\n'
  // The first piece ends in the middle of the second event.
  expect(eventsOf(text, [15, 120, 33, 180])).toEqual([
    { text: 'data: é', ms: 120 },
    { text: 'data: b', ms: 180 },
    { text: 'data: [DONE]', ms: 180 },
  ])
  expect(eventsOf('data: a\r\n\r\n', [])).toEqual([{ text: 'data: a', ms: undefined }])
  expect(eventsOf('')).toEqual([])
})

test('JSON is indented, whole or in an event; other text stays', () => {
  expect(formatted(' {"a":1}\n')).toBe('{\n  "a": 1\n}')
  expect(formatted('event: x\ndata: {"a":1}')).toBe('event: x\ndata: {\n  "a": 1\n}')
  for (const text of ['data: [DONE]', '{"a":', 'plain', '']) expect(formatted(text)).toBe(text)
})

test('streams are distinguished from other bodies', () => {
  expect(['data: x', 'event: y\n', ': hello', '\n\ndata: x'].map(isStream)).toEqual([true, true, true, true])
  expect(['{"data": 1}', '', 'database'].map(isStream)).toEqual([false, false, false])
})

test('frames of both directions are in order of arrival; one that was not kept has its place', () => {
  const asked = framesOf('{"é":1}\n{"b":2}\n', [9, 10, 9, 20, 17, 40])
  expect(asked).toEqual([
    { text: '{"é":1}', ms: 10 },
    { text: '', ms: 20 },
    { text: '{"b":2}', ms: 40 },
  ])
  const all = bothWays(asked, framesOf('{}\n', [3, 20]))
  expect(all.map(({ from, ms }) => `${from} ${ms}`)).toEqual(['client 10', 'client 20', 'parley 20', 'client 40'])
})
