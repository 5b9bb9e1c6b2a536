import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { searchCodec } from './codec.ts'

const { readHead, editRequest, readWhole } = searchCodec

function refusal(work: () => unknown): GatewayError {
  try {
    work()
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
  throw new Error('nothing was refused')
}

describe('the request', () => {
  test.each([
    ['no model', { id: 'a' }, 'missing_field', 'model'],
    ['an id that is no text', { model: 'm', id: 5 }, 'invalid_value', 'id'],
    ['an id without end', { model: 'm', id: 'x'.repeat(513) }, 'invalid_value', 'id'],
    ['commands in a list', { model: 'm', commands: [] }, 'invalid_value', 'commands'],
    ['settings that are a text', { model: 'm', settings: 'all' }, 'invalid_value', 'settings'],
    ['no limit', { model: 'm', max_output_tokens: -1 }, 'invalid_value', 'max_output_tokens'],
  ])('%s is refused by the name of its field', (_name, body, code, param) => {
    expect(refusal(() => readHead(JSON.stringify(body)))).toMatchObject({ code, param })
  })

  test('is kept together by its id, never a stream, and held as one search with its limit', () => {
    const head = readHead('{"id":"s1","model":"gpt-5","stream":true,"max_output_tokens":10000}')
    expect(head).toMatchObject({ affinity: ['s1'], stream: false, most: { out: { total: 10_000 }, units: { searches: 1 } } })
    expect(readHead('{"model":"gpt-5"}')).toMatchObject({ affinity: [], most: { out: { total: 16_384 } } })
  })

  test('every byte passes but the model`s name', () => {
    const body = '{"id":"s1", "model" : "gpt-5","commands":{"search_query":[{"q":"\\u00e9"}]},"n":1.0}'
    expect(editRequest(body, {})).toBe(body)
    expect(editRequest(body, { model: 'mapped' })).toBe(body.replace('"gpt-5"', '"mapped"'))
  })
})

describe('the answer', () => {
  const head = readHead('{"model":"gpt-5"}')

  test('passes byte for byte and is one search', () => {
    const body = '{ "output":"found", "encrypted_output":null, "results":[ {"x":1.0} ] }'
    expect(readWhole(body, { model: 'gpt-5' }, head)).toMatchObject({
      body,
      usage: { in: { fresh: 0 }, out: { total: 0 }, units: { searches: 1 }, provenance: 'estimated' },
    })
  })

  test.each([
    ['Responses', { input_tokens: 30, output_tokens: 4, total_tokens: 34 }],
    ['Chat', { prompt_tokens: 30, completion_tokens: 4, total_tokens: 34 }],
  ])('tokens that are told as in %s are counted beside it', (_name, usage) => {
    expect(readWhole(JSON.stringify({ output: '', usage }), {}, head).usage).toMatchObject({
      in: { fresh: 30 },
      out: { total: 4 },
      units: { searches: 1 },
      provenance: 'provider',
    })
  })

  test.each(['oops', '[]', '<html>', '{}', '{"output":null}', '{"output":5}'])('%s is an upstream error', (wrong) => {
    expect(refusal(() => readWhole(wrong, {}, head)).code).toBe('upstream_error')
  })
})
