import { expect, test } from 'bun:test'
import type { FieldChange } from './splice.ts'
import { editEvent } from './sse-edit.ts'

const changes = new Map<string, FieldChange>([
  ['model', (json) => json && '"日"'],
  ['usage', () => undefined],
])
const edited = (raw: string) => Buffer.from(editEvent(Buffer.from(raw), changes)).toString()

test('changes one field of an event and keeps the rest', () => {
  expect(edited('data: {"id":"x","model":"m","usage":null}\n\n')).toBe('data: {"id":"x","model":"日"}\n\n')
  expect(edited('data:{"model":"m"}\r\n\r\n')).toBe('data:{"model":"日"}\r\n\r\n')
  expect(edited('data: { "usage":null, "model":"m" } \n')).toBe('data: { "model":"日" } \n')
})

test('an event with comments, other fields and a byte order mark', () => {
  const before = '\ufeff:{"model":"m"}\nevent: x\nid: {"model":1}\ndata: '
  expect(edited(`${before}{"model":"m"}\nretry: 5\n\n`)).toBe(`${before}{"model":"日"}\nretry: 5\n\n`)
})

test('an object that is spread over several data lines', () => {
  expect(edited('data: {"a":1,\ndata: "model":\ndata:"m",\n:note\ndata: "b":2}\n\n')).toBe(
    'data: {"a":1,\ndata: "model":\ndata:"日",\n:note\ndata: "b":2}\n\n',
  )
  expect(edited('data: {"usage":\ndata: null,"b":2}\n\n')).toBe('data: {"b":2}\n\n')
})

test('bytes that are no UTF-8 stay', () => {
  const raw = Buffer.concat([Buffer.from('data: {"x":"'), Uint8Array.of(0xff, 0xc3, 0x28), Buffer.from('é","model":"m"}\n\n')])
  const expected = Buffer.concat([Buffer.from('data: {"x":"'), Uint8Array.of(0xff, 0xc3, 0x28), Buffer.from('é","model":"日"}\n\n')])
  expect(Buffer.from(editEvent(raw, changes)).equals(expected)).toBe(true)
})

test('what holds no object stays', () => {
  for (const raw of [': note\n\n', 'data: [DONE]\n\n', 'data: [1]\n\n', 'data:\n\n', '\n', 'data: {"a":']) expect(edited(raw)).toBe(raw)
})
