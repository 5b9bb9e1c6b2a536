import { describe, expect, test } from 'bun:test'
import { GatewayError } from '#shared/errors'
import { createSseSplitter } from '#shared/sse'
import { readError, readInnerError, writeError, writeStreamError } from './error.ts'

const type = (name: string) => `type.googleapis.com/google.rpc.${name}`
const said = (error: unknown) => JSON.stringify({ error })
const read = (status: number, body = '', headers: Record<string, string> = {}) => readError(status, new Headers(headers), body)

describe('an upstream’s refusal', () => {
  test('the caller’s fault is passed on with its words', () => {
    const body = said({
      code: 400,
      message: 'Invalid value at contents.',
      status: 'INVALID_ARGUMENT',
      details: [{ '@type': type('BadRequest'), fieldViolations: [{ field: 'contents[0].parts', description: 'x' }] }],
    })
    const error = { code: 'upstream_rejected', status: 400, blame: 'client', retry: 'never', message: 'Invalid value at contents.' }
    expect(read(400, body)).toMatchObject({ ...error, param: 'contents[0].parts' })
    expect(read(400, `[${body}]`)).toMatchObject(error)
    for (const status of [413, 415, 422]) expect(read(status, body)).toMatchObject({ ...error, status })
  })

  test('only words of a JSON error are passed on, and scrubbed', () => {
    for (const body of [
      '<html>secret</html>',
      '',
      '[]',
      '"secret"',
      '{"error":5}',
      '{"error":{"message":{"x":"secret"}}}',
      '{"error":null}',
    ]) {
      expect(read(400, body)).toMatchObject({ code: 'upstream_rejected', status: 400 })
      expect(read(400, body).message).not.toContain('secret')
    }
    const reported = said({ message: 'See https://x.example.com/?key=AIzaSyA1234567890 for project 12345678901234567890123456.' })
    expect(read(400, reported).message).not.toMatch(/AIza|example|1234567890123/)
  })

  test('credentials are the channel’s fault', () => {
    const keyInvalid = said({ code: 400, message: 'x', details: [{ '@type': type('ErrorInfo'), reason: 'API_KEY_INVALID' }] })
    const cases: [number, string][] = [
      [401, ''],
      [403, said({ message: 'x' })],
      [400, keyInvalid],
      [400, said({ message: 'API key not valid. Please pass a valid API key.' })],
      [400, said({ message: 'API key expired. Please renew the API key.' })],
    ]
    for (const [status, body] of cases) {
      expect(read(status, body)).toMatchObject({ code: 'upstream_auth_failed', status: 502, retry: 'other' })
    }
    // A caller can make an upstream quote this.
    expect(read(400, said({ message: 'Unknown name "API key not valid"' })).code).toBe('upstream_rejected')
  })

  test('limits, with the time to wait', () => {
    const info = { '@type': type('RetryInfo'), retryDelay: '29.3s' }
    expect(read(429, said({ status: 'RESOURCE_EXHAUSTED', details: [info] }))).toMatchObject({
      code: 'upstream_rate_limited',
      retryAfter: 30,
    })
    expect(read(429, '', { 'retry-after': '7' })).toMatchObject({ retryAfter: 7 })
    for (const retryDelay of ['9999s', '1e9s', 'soon', 5, null]) {
      const wait = read(429, said({ details: [{ ...info, retryDelay }] })).retryAfter
      expect(wait === undefined || wait === 60).toBe(true)
    }
    expect(read(402).code).toBe('upstream_rate_limited')
  })

  test('a model that is not offered, an account that may not, and failures', () => {
    expect(read(404, said({ message: 'models/x is not found for API version v1beta', status: 'NOT_FOUND' }))).toMatchObject({
      status: 404,
      publicCode: 'model_not_found',
      retry: 'other',
    })
    expect(read(404, 'nginx')).toMatchObject({ code: 'upstream_error' })
    expect(read(400, said({ status: 'FAILED_PRECONDITION', message: 'User location is not supported' })).code).toBe('upstream_error')
    for (const status of [500, 503, 504, 302])
      expect(read(status, said({ message: 'x' }))).toMatchObject({ code: 'upstream_error', blame: 'upstream' })
    expect(read(400, said({ message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).' })).publicCode).toBe(
      'context_length_exceeded',
    )
  })

  test('inside a stream the number or the word stands for a status', () => {
    expect(readInnerError({ code: 503, status: 'UNAVAILABLE' })).toMatchObject({ code: 'upstream_error' })
    expect(readInnerError({ code: '429' })).toMatchObject({ code: 'upstream_rate_limited' })
    expect(readInnerError({ status: 'INVALID_ARGUMENT', message: 'No.' })).toMatchObject({ code: 'upstream_rejected', status: 400 })
    for (const odd of [null, 5, 'x', [], {}, { code: 200 }, { code: Number.POSITIVE_INFINITY }])
      expect(readInnerError(odd).code).toBe('upstream_error')
  })
})

describe('Parley’s own refusal', () => {
  const body = (error: GatewayError) => JSON.parse(writeError(error).body)

  test('number, word and reason', () => {
    expect(body(new GatewayError('model_not_found', 'No such model.', { param: 'model' }))).toEqual({
      error: {
        code: 404,
        message: 'No such model.',
        status: 'NOT_FOUND',
        details: [
          { '@type': type('ErrorInfo'), reason: 'model_not_found', domain: 'parley' },
          { '@type': type('BadRequest'), fieldViolations: [{ field: 'model', description: 'No such model.' }] },
        ],
      },
    })
  })

  test.each([
    ['invalid_value', 400, 'INVALID_ARGUMENT'],
    ['invalid_api_key', 401, 'UNAUTHENTICATED'],
    ['group_not_allowed', 403, 'PERMISSION_DENIED'],
    ['not_found', 404, 'NOT_FOUND'],
    ['method_not_allowed', 405, 'INVALID_ARGUMENT'],
    ['request_too_large', 413, 'INVALID_ARGUMENT'],
    ['unsupported_media_type', 415, 'INVALID_ARGUMENT'],
    ['insufficient_quota', 429, 'RESOURCE_EXHAUSTED'],
    ['rate_limit_exceeded', 429, 'RESOURCE_EXHAUSTED'],
    ['internal_error', 500, 'INTERNAL'],
    ['upstream_auth_failed', 502, 'INTERNAL'],
    ['upstream_error', 502, 'INTERNAL'],
    ['no_channel_available', 503, 'UNAVAILABLE'],
    ['upstream_timeout', 504, 'DEADLINE_EXCEEDED'],
  ] as const)('%s is %d %s', (code, status, word) => {
    const written = writeError(new GatewayError(code, 'x'))
    expect(written.status).toBe(status)
    expect(JSON.parse(written.body).error).toMatchObject({ code: status, status: word })
  })

  test('when to come back, and when not', () => {
    const limited = writeError(new GatewayError('rate_limit_exceeded', 'x', { retryAfter: 29.2 }))
    expect(limited.headers['retry-after']).toBe('30')
    expect(JSON.parse(limited.body).error.details).toContainEqual({ '@type': type('RetryInfo'), retryDelay: '30s' })
    expect(limited.headers).not.toHaveProperty('x-should-retry')
    expect(writeError(new GatewayError('insufficient_quota', 'x')).headers).toMatchObject({ 'x-should-retry': 'false' })
  })

  test('T12: in a stream it is one event with a number as its code, and nothing after', () => {
    const frames = createSseSplitter().push(writeStreamError(new GatewayError('upstream_error', 'Broke.')))
    expect(frames).toHaveLength(1)
    expect(frames[0]).toMatchObject({ event: undefined, unfinished: false })
    expect(JSON.parse(frames[0]?.data ?? '')).toMatchObject({ error: { code: 502, status: 'INTERNAL', message: 'Broke.' } })
  })
})
