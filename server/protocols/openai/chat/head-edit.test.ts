import { expect, test } from 'bun:test'
import { editRequest } from './head.ts'

const raw = '{ "model" : "fast",\n "messages":[ {"role":"user","content":"\\u0041"} ] , "n":1.0, "new":{"model":"x"} }'

test('no edit is the same text', () => {
  expect(editRequest(raw, {})).toBe(raw)
})

test('the model goes out under the name of the upstream, wherever it stands', () => {
  expect(editRequest(raw, { model: 'gpt "5"' })).toBe(raw.replace('"fast"', '"gpt \\"5\\""'))
  expect(editRequest('{"model":"a","mod\\u0065l":"b"}', { model: 'c' })).toBe('{"model":"c","mod\\u0065l":"c"}')
})

test('usage is asked for, and other stream options stay', () => {
  const forced = (options: string) => editRequest(`{"stream_options":${options}}`, { forceUsage: true })
  expect(editRequest('{"a":1}', { forceUsage: true })).toBe('{"a":1,"stream_options":{"include_usage":true}}')
  expect(forced('null')).toBe('{"stream_options":{"include_usage":true}}')
  expect(forced('{ "x" : 1 }')).toBe('{"stream_options":{ "x" : 1,"include_usage":true }}')
  expect(forced('{"include_usage":false,"x":1}')).toBe('{"stream_options":{"include_usage":true,"x":1}}')
  expect(forced('{ "include_usage" : true }')).toBe('{"stream_options":{ "include_usage" : true }}')
  expect(forced('"odd"')).toBe('{"stream_options":"odd"}')
})

test('the system prompt of the channel stands first', () => {
  expect(editRequest(raw, { systemPrompt: 'Say "hi"\n' })).toBe(raw.replace('[ {', '[{"role":"system","content":"Say \\"hi\\"\\n"}, {'))
  expect(editRequest('{"messages":[ ]}', { systemPrompt: 'x' })).toBe('{"messages":[{"role":"system","content":"x"} ]}')
})

test('fields are set and removed; what is set after its removal stays', () => {
  expect(editRequest('{"a":1,"group":"x","b":2}', { remove: ['group', 'models'], set: { b: [3], c: null } })).toBe(
    '{"a":1,"b":[3],"c":null}',
  )
  expect(editRequest('{"a":1}', { remove: ['a'], set: { a: 2 } })).toBe('{"a":2}')
})

test('edits of one field meet: usage is forced in options that the channel sets, the model wins over what it sets', () => {
  const edits = { set: { stream_options: { x: 1 }, model: 'no' }, forceUsage: true, model: 'yes' }
  expect(JSON.parse(editRequest('{"model":"m"}', edits))).toEqual({ model: 'yes', stream_options: { x: 1, include_usage: true } })
})
