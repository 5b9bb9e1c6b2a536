import { describe, expect, test } from 'bun:test'
import { editRequest } from './request-edit.ts'

const raw = '{ "contents":[ {"parts":[{"text":"\\u0041 1.0"}]} ] ,"x_new":1E400, "contents":[ {} ]}'

test('nothing to change leaves every byte', () => {
  for (const edits of [{}, { model: 'up' }, { forceUsage: true }, { remove: ['y'] }]) expect(editRequest(raw, edits)).toBe(raw)
})

test('the model is in the path; a body that repeats it follows', () => {
  expect(editRequest('{"model":"models/a","contents":[{}]}', { model: 'up "1"' })).toBe('{"model":"models/up \\"1\\"","contents":[{}]}')
  expect(editRequest('{"model":5,"contents":[{}]}', { model: 'up' })).toBe('{"model":5,"contents":[{}]}')
})

describe('the channel’s prompt comes first', () => {
  const edit = (body: string) => editRequest(body, { systemPrompt: 'A"b' })
  const first = '{"text":"A\\"b"}'

  test('where there is none', () => {
    expect(edit('{"contents":[{}]}')).toBe(`{"contents":[{}],"systemInstruction":{"parts":[${first}]}}`)
    expect(edit('{"system_instruction":null}')).toBe(`{"system_instruction":{"parts":[${first}]}}`)
  })

  test('before the caller’s, in the caller’s spelling', () => {
    expect(edit('{"systemInstruction":{"role":"user","parts":[ {"text":"c"} ]}}')).toBe(
      `{"systemInstruction":{"role":"user","parts":[${first}, {"text":"c"} ]}}`,
    )
    expect(edit('{"system_instruction":{"parts":{"text":"c"}}}')).toBe(`{"system_instruction":{"parts":[${first},{"text":"c"}]}}`)
    expect(edit('{"system_instruction":{"parts":[ ]}}')).toBe(`{"system_instruction":{"parts":[${first} ]}}`)
    expect(edit('{"systemInstruction":"c"}')).toBe(`{"systemInstruction":{"parts":[${first},{"text":"c"}]}}`)
  })
})

test('what a channel sets replaces either spelling, what it removes goes in both', () => {
  const set = { generationConfig: { topK: 1 }, x_odd: true }
  expect(editRequest('{"generation_config":{"a":1}}', { set })).toBe('{"generation_config":{"topK":1},"x_odd":true}')
  expect(editRequest('{"generationConfig":{"a":1}}', { set: { generation_config: 2 } })).toBe('{"generationConfig":2}')
  expect(editRequest('{"safety_settings":[],"a":1}', { remove: ['safetySettings'] })).toBe('{"a":1}')
  expect(editRequest('{"safetySettings":[],"a":1}', { remove: ['safety_settings'] })).toBe('{"a":1}')
})
