import { expect, test } from 'bun:test'
import { editCountRequest, readCountHead, readCountRequest, readCountResponse, writeCountRequest, writeCountResponse } from './codec.ts'

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
const path = 'a/b:countTokens'
const bare = JSON.stringify({ contents })
const whole = JSON.stringify({ generateContentRequest: { model: 'models/a/b', contents, systemInstruction: { parts: [{ text: 's' }] } } })

test('bare contents and a whole request are asked alike', () => {
  expect(readCountHead(bare, path)).toMatchObject({ model: 'a/b', stream: false, inputBytes: bare.length })
  expect(readCountRequest(bare, path)).toMatchObject({ model: 'a/b', instructions: [], turns: [{ parts: [{ text: 'hi' }] }] })
  expect(readCountRequest(whole, path)).toMatchObject({
    instructions: [{ text: 's' }],
    turns: [{ path: 'generateContentRequest.contents[0]' }],
  })
  expect(readCountRequest(whole.replace('generateContentRequest', 'generate_content_request'), path).instructions).toHaveLength(1)
})

test('refusals name the place', () => {
  expect(() => readCountHead('{}', path)).toThrow(expect.objectContaining({ code: 'missing_field', param: 'contents' }))
  expect(() => readCountHead('{"generateContentRequest":{}}', path)).toThrow(
    expect.objectContaining({ param: 'generateContentRequest.contents' }),
  )
  expect(() => readCountHead(bare, 'a:generateContent')).toThrow(expect.objectContaining({ status: 404 }))
})

test('edits reach the request inside', () => {
  expect(editCountRequest(whole, { model: 'up' })).toBe(whole.replace('models/a/b', 'models/up'))
  expect(editCountRequest(bare, { model: 'up' })).toBe(bare)
  expect(editCountRequest(whole, {})).toBe(whole)
})

test('over the canonical conversation', () => {
  const written = writeCountRequest(readCountRequest(whole, path), { model: 'up', capabilities: {}, stream: false })
  expect(written.body).toEqual({ generateContentRequest: { model: 'models/up', contents, systemInstruction: { parts: [{ text: 's' }] } } })
})

test('the answer', () => {
  expect(readCountResponse(writeCountResponse(31))).toBe(31)
  expect(readCountResponse('{"total_tokens":"7"}')).toBe(7)
  for (const body of ['', '[]', '<html>', '{"totalTokens":-1}', '{"totalTokens":1.5}', '{"error":{"code":500}}']) {
    expect(() => readCountResponse(body)).toThrow(expect.objectContaining({ code: 'upstream_error' }))
  }
})
