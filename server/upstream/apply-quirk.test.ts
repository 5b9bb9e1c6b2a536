import { describe, expect, test } from 'bun:test'
import { vendors } from '#vendors/index'
import { withQuirk } from './apply-quirk.ts'
import type { UpstreamRequest } from './upstream.ts'

const request = (body: string | undefined, headers: Record<string, string> = {}): UpstreamRequest => ({
  method: 'POST',
  url: 'http://127.0.0.1:9/',
  headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
  body,
})
const bedrock = vendors.bedrock.body?.messages
const vertex = vendors.vertex.body?.messages

test('no quirk, no change', () => {
  const plain = request('{"model":"m"}')
  expect(withQuirk(plain, undefined)).toBe(plain)
  expect(vendors.vertex.body?.gemini).toBeUndefined()
})

describe('Claude in a cloud', () => {
  const body = '{ "model" : "m", "stream":true,\n "max_tokens":1e2, "unknown": {"a" :1} , "model":"n"}'

  test('Bedrock: model and stream leave, the version comes, every other byte stays', () => {
    expect(withQuirk(request(body), bedrock).body).toBe('{ "max_tokens":1e2, "unknown": {"a" :1},"anthropic_version":"bedrock-2023-05-31"}')
  })

  test('Vertex: the stream stays in the body', () => {
    expect(withQuirk(request(body), vertex).body).toBe(
      '{ "stream":true,\n "max_tokens":1e2, "unknown": {"a" :1},"anthropic_version":"vertex-2023-10-16"}',
    )
  })

  test('a version that the body claims is replaced', () => {
    expect(withQuirk(request('{"anthropic_version":"x"}'), vertex).body).toBe('{"anthropic_version":"vertex-2023-10-16"}')
  })

  test('headers of the dialect become fields where they must, and are gone', () => {
    const headers = { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a-1, b-2,,' }
    const clean = withQuirk(request('{}', headers), bedrock)
    expect(clean.headers).toEqual({ 'content-type': 'application/json', accept: '*/*' })
    expect(JSON.parse(String(clean.body))).toEqual({ anthropic_version: 'bedrock-2023-05-31', anthropic_beta: ['a-1', 'b-2'] })
    expect(withQuirk(request('{}', headers), vertex).headers).toEqual({
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'anthropic-beta': 'a-1, b-2,,',
    })
  })

  test('flags already in the body are the client’s choice', () => {
    const { body: sent } = withQuirk(request('{"anthropic_beta":["c"]}', { 'anthropic-beta': 'a' }), bedrock)
    expect(JSON.parse(String(sent)).anthropic_beta).toEqual(['c'])
  })

  test('a request without a body has none', () => {
    expect(withQuirk(request(undefined), bedrock).body).toBeUndefined()
  })
})
