import { describe, expect, test } from 'bun:test'
import { readHead } from './head.ts'

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }]
const head = (fields: Record<string, unknown> = {}, action = 'generateContent') =>
  readHead(JSON.stringify({ contents, ...fields }), `m:${action}`)
const refusal = (code: string, param: string) => expect.objectContaining({ code, param, status: 400, blame: 'client' })

test('the least request', () => {
  const raw = '{"contents":[{}]}'
  expect(readHead(raw, 'models/a/b:streamGenerateContent')).toEqual({
    model: 'a/b',
    stream: true,
    n: 1,
    inputBytes: raw.length,
    usageAsked: true,
    media: [],
    searchAsked: false,
    affinity: [],
    stateRefs: [],
  })
  expect(head().stream).toBe(false)
})

test('both spellings, and numbers as texts', () => {
  for (const config of [
    { generationConfig: { maxOutputTokens: 100, candidateCount: 2 } },
    { generation_config: { max_output_tokens: '100', candidate_count: '2' } },
  ]) {
    expect(head(config)).toMatchObject({ maxOutput: 100, n: 2 })
  }
  expect(head({ generationConfig: { maxOutputTokens: null } })).not.toHaveProperty('maxOutput')
})

describe('refused, with the path of the field', () => {
  test('contents', () => {
    for (const value of [undefined, null]) expect(() => head({ contents: value })).toThrow(refusal('missing_field', 'contents'))
    for (const value of [[], 'hi', 5, true]) expect(() => head({ contents: value })).toThrow(refusal('invalid_value', 'contents'))
    expect(head({ contents: { parts: [{ text: 'x' }] } }).model).toBe('m')
  })

  test('numbers', () => {
    for (const value of [0, -1, 1.5, 'x', '', [], {}, true, 2 ** 53]) {
      expect(() => head({ generationConfig: { maxOutputTokens: value } })).toThrow(
        refusal('invalid_value', 'generationConfig.maxOutputTokens'),
      )
      expect(() => head({ generation_config: { candidate_count: value } })).toThrow(
        refusal('invalid_value', 'generation_config.candidate_count'),
      )
    }
    expect(() => head({ generationConfig: 'x' })).toThrow(refusal('invalid_value', 'generationConfig'))
  })

  test('a body that is none, and one that is too deep', () => {
    for (const raw of ['', '[]', '5', '{'])
      expect(() => readHead(raw, 'm:generateContent')).toThrow(expect.objectContaining({ status: 400 }))
    const deep = `{"contents":[{}],"x":${'['.repeat(64)}${']'.repeat(64)}}`
    expect(() => readHead(deep, 'm:generateContent')).toThrow(expect.objectContaining({ code: 'invalid_request' }))
  })

  test('an action of another kind', () => {
    for (const action of ['countTokens', 'embedContent', 'x'])
      expect(() => head({}, action)).toThrow(expect.objectContaining({ status: 404 }))
  })
})

test('kinds of media, results included', () => {
  const parts = [
    { inlineData: { mimeType: 'image/png', data: '' } },
    { inline_data: { mime_type: 'audio/wav', data: '' } },
    { functionResponse: { name: 'f', response: {}, parts: [{ inlineData: { mimeType: 'application/pdf', data: '' } }] } },
    { fileData: { mimeType: 'video/mp4', fileUri: 'x' } },
    { fileData: {} },
    5,
  ]
  expect(head({ contents: [{ parts }, null, 'x'] }).media).toEqual(['image', 'audio', 'file', 'other'])
})

test('a hosted search', () => {
  expect(head({ tools: [{ functionDeclarations: [] }, { codeExecution: {} }] }).searchAsked).toBe(false)
  expect(head({ tools: [{ google_search: {} }] }).searchAsked).toBe(true)
  expect(head({ tools: { googleSearchRetrieval: {} } }).searchAsked).toBe(true)
  expect(head({ tools: 'x' }).searchAsked).toBe(false)
})

test('state that one account keeps', () => {
  const file = (fileUri: unknown) => ({ parts: [{ fileData: { fileUri } }] })
  const kept = ['https://generativelanguage.googleapis.com:443/v1beta/files/abc', 'gs://bucket/x', 'files/abc', 'abc']
  const open = ['https://www.youtube.com/watch?v=x', 'https://example.com/x', 5]
  const read = head({ cached_content: 'cachedContents/1', contents: [...kept, ...open].map(file) })
  expect(read.affinity).toEqual(['cachedContents/1'])
  expect(read.stateRefs).toEqual([{ kind: 'cached-content', id: 'cachedContents/1' }, ...kept.map((id) => ({ kind: 'file' as const, id }))])
})
