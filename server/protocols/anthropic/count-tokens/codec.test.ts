import { expect, test } from 'bun:test'
import { countTokens } from './codec.ts'

const body = {
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  system: 'Be brief.',
  tools: [{ name: 't', input_schema: { type: 'object' } }],
}
const raw = JSON.stringify(body)

test('a request without a limit on output, and with all that is counted', () => {
  expect(countTokens.readHead(raw)).toMatchObject({ model: 'm', stream: false })
  const written = countTokens.writeRequest(countTokens.readRequest(raw), { model: 'up', capabilities: {}, stream: false })
  expect(written.body).toEqual({ ...body, model: 'up' })
  expect(written.headers).toEqual({ 'anthropic-version': '2023-06-01' })
  expect(countTokens.editRequest(raw, { model: 'up' })).toBe(raw.replace('"m"', '"up"'))
})

test('what only an answer needs is left out', () => {
  const request = countTokens.readRequest(
    JSON.stringify({ ...body, temperature: 0.5, stop_sequences: ['x'], metadata: { user_id: 'u' }, stream: true }),
  )
  const { body: written } = countTokens.writeRequest(request, { model: 'm', capabilities: {}, stream: true })
  expect(Object.keys(written).sort()).toEqual(['messages', 'model', 'system', 'tools'])
})

test('checked as a request', () => {
  for (const [field, value] of [
    ['model', undefined],
    ['messages', []],
    ['temperature', 2],
  ] as const) {
    const broken = JSON.stringify({ ...body, [field]: value })
    expect(() => countTokens.readHead(broken)).toThrow(expect.objectContaining({ status: 400, param: field }))
    expect(() => countTokens.readRequest(broken)).toThrow(expect.objectContaining({ status: 400, param: field }))
  }
})

test('the answer is one figure', () => {
  expect(countTokens.readResponse('{"input_tokens":2095}')).toBe(2095)
  expect(countTokens.writeResponse(2095)).toBe('{"input_tokens":2095}')
  for (const odd of ['', '{}', '[]', 'null', '{"input_tokens":"5"}', '{"input_tokens":-1}', '{"input_tokens":1.5}', '<html>'])
    expect(() => countTokens.readResponse(odd)).toThrow(expect.objectContaining({ code: 'upstream_error' }))
  expect(() => countTokens.readResponse('{"type":"error","error":{"type":"rate_limit_error"}}')).toThrow(
    expect.objectContaining({ code: 'upstream_rate_limited' }),
  )
})
