import { expect, test } from 'bun:test'
import type { Candidate } from '#routing/order'
import { named, written } from './rewritten.ts'

const channel = { vendor: {}, options: {}, models: new Map([['flash', { name: 'flash', upstream: 'gemini-2.5-flash' }]]) }
const candidate = { channel, key: null, model: { name: 'flash', upstream: 'gemini-2.5-flash' } } as unknown as Candidate
const rest =
  '"tools": [{"functionDeclarations":[{"name":"look","parameters":{"maximum":9223372036854775807,"minimum":1.0}}]}], "ttl" : "60s"'

test('only the name of the model and ids of copies change in a request', () => {
  const text = `{ "model": "models/flash", "file": "file_1", ${rest} }`
  const body = { value: JSON.parse(text), refs: [], keptFiles: ['file_1'] }
  expect(written({ text }, body, candidate, new Map([['file_1', 'file-up']]))).toEqual({
    text: `{ "model": "models/gemini-2.5-flash", "file": "file-up", ${rest} }`,
  })
})

test('only the names of the object and its model change in an answer', () => {
  const text = `{"name": "projects/p/locations/l/cachedContents/1", ${rest}, "model": "projects/p/locations/l/publishers/google/models/gemini-2.5-flash"}`
  const answer = { status: 200, headers: new Headers(), pieces: [], text, value: JSON.parse(text) }
  const { text: sent, value } = named(answer, candidate)
  expect(sent).toBe(`{"name": "cachedContents/1", ${rest}, "model": "models/flash"}`)
  expect(value).toMatchObject({ name: 'cachedContents/1', model: 'models/flash' })
})
