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

test('a field inside another, in every spelling and occurrence of it, and nowhere else', () => {
  const inside = (raw: string) => Buffer.from(editEvent(Buffer.from(raw), changes, 'response')).toString()
  expect(inside('data: {"model":"m","é":1,"response":{"x":"é","model":"m"},"b":{"model":"m"}}\n\n')).toBe(
    'data: {"model":"m","é":1,"response":{"x":"é","model":"日"},"b":{"model":"m"}}\n\n',
  )
  expect(inside('data: {"response":{"model":"m"},"r\\u0065sponse" : {"model":"m"}}\n\n')).toBe(
    'data: {"response":{"model":"日"},"r\\u0065sponse" : {"model":"日"}}\n\n',
  )
  expect(inside('data: {"response":\ndata: {"model":"m"}}\n\n')).toBe('data: {"response":\ndata: {"model":"日"}}\n\n')
  for (const raw of ['data: {"response":null}\n\n', 'data: {"response":["model"]}\n\n', 'data: {"model":"m"}\n\n'])
    expect(inside(raw)).toBe(raw)
})

test('bytes that are no UTF-8 stay', () => {
  const raw = Buffer.concat([Buffer.from('data: {"x":"'), Uint8Array.of(0xff, 0xc3, 0x28), Buffer.from('é","model":"m"}\n\n')])
  const expected = Buffer.concat([Buffer.from('data: {"x":"'), Uint8Array.of(0xff, 0xc3, 0x28), Buffer.from('é","model":"日"}\n\n')])
  expect(Buffer.from(editEvent(raw, changes)).equals(expected)).toBe(true)
})

test('what holds no object stays', () => {
  for (const raw of [': note\n\n', 'data: [DONE]\n\n', 'data: [1]\n\n', 'data:\n\n', '\n', 'data: {"a":']) expect(edited(raw)).toBe(raw)
})
