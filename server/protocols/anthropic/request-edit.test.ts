import { expect, test } from 'bun:test'
import { editRequest } from './request-edit.ts'

const raw = '{ "model" : "fast",\n "messages":[ {"role":"user","content":"\\u0041"} ] , "max_tokens":1.0, "new":{"model":"x"} }'

test('no edit is the same text', () => {
  expect(editRequest(raw, {})).toBe(raw)
  expect(editRequest(raw, { forceUsage: true })).toBe(raw)
})

test('the model is sent under the upstream’s name', () => {
  expect(editRequest(raw, { model: 'claude "5"' })).toBe(raw.replace('"fast"', '"claude \\"5\\""'))
})

test('the system prompt of the channel stands first, and what the client wrote keeps its bytes', () => {
  const put = (system: string) => editRequest(`{"system":${system},"a":1}`, { systemPrompt: 'Say "hi"' })
  const block = '{"type":"text","text":"Say \\"hi\\""}'
  expect(editRequest('{"a":1}', { systemPrompt: 'Say "hi"' })).toBe('{"a":1,"system":"Say \\"hi\\""}')
  for (const none of ['null', '""']) expect(put(none)).toBe('{"system":"Say \\"hi\\"","a":1}')
  expect(put('"\\u0041"')).toBe(`{"system":[${block},{"type":"text","text":"\\u0041"}],"a":1}`)
  expect(put('[ {"type":"text","text":"x","cache_control":{"type":"ephemeral"}} ]')).toBe(
    `{"system":[${block}, {"type":"text","text":"x","cache_control":{"type":"ephemeral"}} ],"a":1}`,
  )
  expect(put('[ ]')).toBe(`{"system":[${block} ],"a":1}`)
})

test('fields are set and removed; what is set after its removal stays; the model wins', () => {
  expect(editRequest('{"a":1,"group":"x","b":2}', { remove: ['group', 'models'], set: { b: [3] } })).toBe('{"a":1,"b":[3]}')
  expect(editRequest('{"model":"a"}', { remove: ['model'], set: { model: 'no' }, model: 'yes' })).toBe('{"model":"yes"}')
})
