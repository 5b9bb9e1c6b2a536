import { describe, expect, test } from 'bun:test'
import { type ErrorCode, errorTable, GatewayError } from '#shared/errors'
import { readError, readInnerError, writeError, writeStreamError } from './error.ts'

const said = (type: string, message = 'Words.') =>
  JSON.stringify({ type: 'error', error: { type, message }, request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy' })
const read = (status: number, body = '', headers: Record<string, string> = {}) => readError(status, new Headers(headers), body)

describe('an upstream’s refusal', () => {
  test('400, 413, 415 and 422 are passed on with their words', () => {
    for (const status of [400, 413, 415, 422]) {
      const error = read(status, said('invalid_request_error', 'messages.0: text content blocks must be non-empty'))
      expect(error).toMatchObject({ code: 'upstream_rejected', status, blame: 'client', retry: 'never' })
      expect(error.message).toBe('messages.0: text content blocks must be non-empty')
    }
  })

  test('only words of a JSON error are passed on, and no secret in them', () => {
    for (const body of [
      '<html>secret</html>',
      'secret',
      '',
      '{"detail":"secret"}',
      '[]',
      '{"error":5}',
      '{"error":{"message":{"x":"secret"}}}',
    ]) {
      expect(read(400, body)).toMatchObject({ code: 'upstream_rejected', message: 'The upstream refused the request.' })
    }
    expect(read(400, said('invalid_request_error', 'Failed for sk-ant-api03-abcdef at https://x.example.com/v1')).message).toBe(
      'Failed for [removed] at [removed]',
    )
  })

  test('credentials and balance are the channel’s', () => {
    for (const status of [401, 403])
      expect(read(status, said('authentication_error'))).toMatchObject({ code: 'upstream_auth_failed', status: 502 })
    expect(read(400, said('permission_error')).code).toBe('upstream_auth_failed')
    for (const status of [429, 402]) expect(read(status).code).toBe('upstream_rate_limited')
    expect(read(400, said('billing_error')).code).toBe('upstream_rate_limited')
    const empty = 'Your credit balance is too low to access the API. Please go to Plans & Billing.'
    expect(read(400, said('invalid_request_error', empty)).code).toBe('upstream_rate_limited')
    // A caller can make an upstream quote this; it must not count against the channel.
    expect(read(400, said('invalid_request_error', `messages.0: ${empty}`)).code).toBe('upstream_rejected')
    expect(read(429, '', { 'retry-after': '7' }).retryAfter).toBe(7)
    for (const odd of ['-5', 'soon', '1e9', '', 'Wed, 21 Oct 2026 07:28:00 GMT'])
      expect(read(429, '', { 'retry-after': odd }).retryAfter).toBeUndefined()
  })

  test('T08: too much load has a status of its own', () => {
    expect(read(529, said('overloaded_error'))).toMatchObject({ code: 'upstream_error', status: 503, blame: 'upstream', retry: 'other' })
    expect(readInnerError({ type: 'overloaded_error', message: 'x' }).status).toBe(503)
  })

  test('a model that the upstream lacks: another channel, else 404', () => {
    const error = read(404, said('not_found_error', 'model: claude-secret'))
    expect(error).toMatchObject({ code: 'upstream_rejected', status: 404, publicCode: 'model_not_found', param: 'model', retry: 'other' })
    expect(error.message).not.toContain('secret')
    expect(read(404, '<html>').code).toBe('upstream_error')
  })

  test('everything else is an upstream error without details', () => {
    for (const status of [204, 301, 405, 408, 409, 418, 500, 502, 503, 524, 599, 999]) {
      const error = read(status, said('api_error', 'secret'))
      expect(error).toMatchObject({ code: 'upstream_error', status: 502, retry: 'other' })
      expect(error.message).not.toContain('secret')
    }
    expect(read(504).code).toBe('upstream_timeout')
    for (const odd of [{}, 'x', 5, [], null, { type: '__proto__' }, { type: 'constructor' }, { type: 5 }])
      expect(readInnerError(odd).code).toBe('upstream_error')
  })
})

describe('Parley’s refusal (CONTRACT section 6)', () => {
  const rows: [ErrorCode, number, string][] = [
    ['invalid_api_key', 401, 'authentication_error'],
    ['missing_field', 400, 'invalid_request_error'],
    ['unsupported_value', 400, 'invalid_request_error'],
    ['model_not_found', 404, 'not_found_error'],
    ['insufficient_quota', 402, 'billing_error'],
    ['rate_limit_exceeded', 429, 'rate_limit_error'],
    ['group_not_allowed', 403, 'permission_error'],
    ['method_not_allowed', 405, 'invalid_request_error'],
    ['unsupported_media_type', 415, 'invalid_request_error'],
    ['request_too_large', 413, 'request_too_large'],
    ['upstream_auth_failed', 502, 'api_error'],
    ['no_channel_available', 529, 'overloaded_error'],
    ['upstream_error', 502, 'api_error'],
    ['upstream_timeout', 504, 'timeout_error'],
    ['books_unavailable', 529, 'overloaded_error'],
    ['journal_full', 529, 'overloaded_error'],
    ['overloaded', 529, 'overloaded_error'],
    ['internal_error', 500, 'api_error'],
    ['upstream_rate_limited', 429, 'rate_limit_error'],
  ]
  test.each(rows)('%s is %d %s', (code, status, type) => {
    const written = writeError(new GatewayError(code, 'Words.'), 'req_1')
    expect(written.status).toBe(status)
    expect(JSON.parse(written.body)).toEqual({
      type: 'error',
      error: { type, message: 'Words.', code: code === 'upstream_rate_limited' ? 'rate_limit_exceeded' : code },
      request_id: 'req_1',
    })
  })

  test('every code of Parley has a type that clients know', () => {
    const known =
      /^(?:invalid_request|authentication|billing|permission|not_found|rate_limit|api|timeout|overloaded)_error$|^request_too_large$/
    for (const code of Object.keys(errorTable) as ErrorCode[])
      expect(JSON.parse(writeError(new GatewayError(code, 'x')).body).error.type).toMatch(known)
  })

  test('an upstream’s words have no code of Parley, and no id is made up', () => {
    expect(JSON.parse(writeError(new GatewayError('upstream_rejected', 'x', { publicCode: null })).body)).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'x' },
    })
  })

  test('no second try where none can help; Retry-After when there is one', () => {
    const headers = (code: ErrorCode, retryAfter?: number) =>
      writeError(new GatewayError(code, 'x', retryAfter ? { retryAfter } : {})).headers
    for (const code of ['insufficient_quota', 'model_not_found', 'invalid_api_key', 'upstream_auth_failed'] as const)
      expect(headers(code)['x-should-retry']).toBe('false')
    for (const code of ['rate_limit_exceeded', 'upstream_error'] as const) expect(headers(code)).not.toHaveProperty('x-should-retry')
    expect(headers('overloaded', 2.2)['retry-after']).toBe('3')
  })

  test('inside a stream', () => {
    expect(new TextDecoder().decode(writeStreamError(new GatewayError('overloaded', 'a\n"b"')))).toBe(
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"a\\n\\"b\\"","code":"overloaded"}}\n\n',
    )
  })
})
