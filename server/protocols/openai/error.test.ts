import { describe, expect, test } from 'bun:test'
import { plainWord, scrub } from '#canonical/scrub'
import { GatewayError } from '#shared/errors'
import { threadMs } from '#testing/thread-time'
import { readError, readInnerError, writeError, writeStreamError } from './error.ts'

const said = (message: string, more: Record<string, unknown> = {}) => JSON.stringify({ error: { message, ...more } })
const read = (status: number, body = '', headers: Record<string, string> = {}) => readError(status, new Headers(headers), body)

describe('an upstream’s refusal', () => {
  test('400, 413, 415 and 422 are passed on with their words', () => {
    for (const status of [400, 413, 415, 422]) {
      const error = read(
        status,
        said('Too long.', { type: 'invalid_request_error', code: 'context_length_exceeded', param: 'messages[0].content' }),
      )
      expect(error).toMatchObject({
        code: 'upstream_rejected',
        status,
        blame: 'client',
        retry: 'never',
        message: 'Too long.',
        publicCode: 'context_length_exceeded',
        param: 'messages[0].content',
      })
    }
  })

  test('only words of a JSON error are passed on', () => {
    for (const body of [
      '<html>secret</html>',
      'secret',
      '',
      '{"detail":"secret"}',
      '[]',
      '"secret"',
      '{"error":5}',
      '{"error":{"message":{"x":"secret"}}}',
    ]) {
      const error = read(400, body)
      expect(error).toMatchObject({ code: 'upstream_rejected', status: 400, retry: 'never' })
      expect(error.message).not.toContain('secret')
    }
    for (const body of ['{"error":"Plain."}', '{"message":"Plain.","type":"x"}', '[{"error":{"message":"Plain."}}]']) {
      expect(read(400, body).message).toBe('Plain.')
    }
  })

  test('types, codes and fields only when they are plain words', () => {
    const odd = { type: 'a b', code: 400, param: 'https://x.example.com' }
    expect(read(400, said('No.', odd))).toMatchObject({ type: 'invalid_request_error', publicCode: null, param: undefined })
  })

  test('credentials are the channel’s fault', () => {
    for (const status of [401, 403]) {
      expect(read(status, said('Incorrect API key provided: sk-abc'))).toMatchObject({
        code: 'upstream_auth_failed',
        status: 502,
        retry: 'other',
      })
    }
    expect(read(400, said('API key not valid. Please pass a valid API key.')).code).toBe('upstream_auth_failed')
    expect(read(400, said('Wrong', { code: 'invalid_api_key' })).code).toBe('upstream_auth_failed')
    // A caller can make an upstream quote this; it must not count against the channel.
    expect(read(400, said("Invalid schema for tool 'x': invalid API key")).code).toBe('upstream_rejected')
  })

  test('a limit or an empty balance of the channel is never the caller’s', () => {
    const cases: [number, Record<string, unknown>][] = [
      [429, {}],
      [402, {}],
      [429, { code: 'insufficient_quota', type: 'insufficient_quota' }],
      [400, { code: 'billing_hard_limit_reached' }],
    ]
    for (const [status, more] of cases) {
      expect(read(status, said('You exceeded your current quota', more))).toMatchObject({
        code: 'upstream_rate_limited',
        status: 429,
        type: 'rate_limit_error',
        publicCode: 'rate_limit_exceeded',
        retry: 'other',
      })
    }
  })

  test('Retry-After in seconds or milliseconds, from 1 to 60', () => {
    const wait = (headers: Record<string, string>) => read(429, '', headers).retryAfter
    expect(wait({ 'retry-after': '7' })).toBe(7)
    expect(wait({ 'retry-after': '0' })).toBe(1)
    expect(wait({ 'retry-after': '1000000000' })).toBe(60)
    expect(wait({ 'retry-after-ms': '1500', 'retry-after': '50' })).toBe(2)
    for (const odd of ['-5', 'soon', '1e9', '', 'NaN', 'Wed, 21 Oct 2026 07:28:00 GMT', '9'.repeat(400)]) {
      expect(wait({ 'retry-after': odd })).toBeUndefined()
    }
  })

  test('a model that the upstream lacks: another channel, else 404', () => {
    for (const body of [
      said('The model `x` does not exist', { code: 'model_not_found' }),
      said('model "x" not found, try pulling it first'),
    ]) {
      const error = read(404, body)
      expect(error).toMatchObject({ code: 'upstream_rejected', status: 404, publicCode: 'model_not_found', param: 'model', retry: 'other' })
      expect(error.message).not.toContain('x`')
    }
    expect(read(404, said('No such file'))).toMatchObject({
      code: 'upstream_rejected',
      status: 404,
      retry: 'other',
      message: 'No such file',
    })
    expect(read(404, '<html>')).toMatchObject({ code: 'upstream_error', status: 502 })
  })

  test('everything else is an upstream error without details', () => {
    for (const status of [204, 206, 301, 307, 405, 408, 409, 418, 425, 500, 502, 503, 504, 524, 529, 599, 999]) {
      const error = read(status, said('secret'))
      expect(error).toMatchObject({ code: 'upstream_error', status: 502, retry: 'other', blame: 'upstream' })
      expect(error.message).not.toContain('secret')
    }
  })
})

test('an error inside a stream: by its number, its type, else the upstream’s', () => {
  expect(readInnerError({ code: 429, message: 'x' }).code).toBe('upstream_rate_limited')
  expect(readInnerError({ code: 'rate_limit_exceeded', message: 'x' }).code).toBe('upstream_rate_limited')
  expect(readInnerError({ type: 'invalid_request_error', message: 'Bad.' })).toMatchObject({ code: 'upstream_rejected', message: 'Bad.' })
  for (const odd of [{}, 'x', 5, [], null, { code: 200 }, { code: 1e9 }, { type: 'server_error' }])
    expect(readInnerError(odd).code).toBe('upstream_error')
})

describe('scrubbing', () => {
  const secrets = [
    'sk-proj-abcDEF123456',
    'sk-***************Ab3d',
    'Bearer abcdef.ghijkl',
    'org-AbCdEfGhIjKl',
    'proj_abcdefgh',
    'AIzaSyD-1234567890abc',
    'https://internal.host/v1?key=x',
    'api.example.com:8443',
    'llm.svc.cluster.local',
    'localhost:8000',
    '10.1.2.3:80',
    '[fe80:0:0:1::1]:8080',
    'jane.doe@example.co.uk',
    '0123456789abcdef0123456789abcdef',
    'req_011CSHoEeqs5C35K2UUqR7Fy',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc',
  ]
  test.each(secrets)('%s', (secret) => {
    const clean = scrub(`Failed for ${secret}, sorry`)
    expect(clean).toContain('[removed]')
    for (const part of secret.split(/[^\w-]+/).filter((word) => word.length > 7 && word !== 'internal')) expect(clean).not.toContain(part)
  })

  test('words of a protocol stay', () => {
    const texts = [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "Invalid type for 'messages[0].content[1].image_url.url': expected a string, but got an integer instead.",
      "Unknown parameter: 'web_search_options.user_location'.",
      "This model's maximum context length is 128000 tokens (127000 in the messages, 2000 in the completion) at 10:15:30.",
    ]
    for (const text of texts) expect(scrub(text)).toBe(text)
    for (const word of [
      'context_length_exceeded',
      'unsupported_country_region_territory',
      'messages[3].tool_calls[0].function.arguments',
    ]) {
      expect(plainWord(word)).toBe(word)
    }
  })

  test('one line, 500 characters, nothing cut in half', () => {
    expect(scrub('a\r\nb\u0000c')).toBe('a b c')
    expect(scrub('word '.repeat(1000))).toHaveLength(499)
    expect(scrub(`${'https://a.example.com/x '.repeat(82)} sk-proj-verysecretkey`)).not.toContain('sk-')
  })

  test('64 kB of anything takes no time', () => {
    const bits = [
      'a',
      '1',
      '-',
      '.',
      ':',
      '@',
      ' ',
      '_',
      '[',
      'sk-',
      'a.',
      'a@',
      'a1-',
      'http://',
      '0:',
      '1.',
      'bearer ',
      'basic a',
      '\n',
      'user-a',
      '\u0000',
    ]
    for (const bit of bits) {
      for (const text of [bit.repeat(65536 / bit.length), `${bit.repeat(1990 / bit.length)} `, `${bit.repeat(1990 / bit.length)}!`]) {
        const ms = threadMs(() => {
          scrub(text)
          plainWord(text)
          read(400, said(text, { type: text, code: text, param: text }), { 'retry-after': text.replace(/\P{ASCII}|\p{Cc}/gu, '') })
        })
        expect(ms).toBeLessThan(200)
      }
    }
  })
})

describe('Parley’s refusal', () => {
  test('in the envelope of the family', () => {
    const { status, headers, body } = writeError(new GatewayError('missing_field', 'The field is required.', { param: 'model' }))
    expect([status, headers['content-type']]).toEqual([400, 'application/json'])
    expect(JSON.parse(body)).toEqual({
      error: { message: 'The field is required.', type: 'invalid_request_error', code: 'missing_field', param: 'model' },
    })
    expect(JSON.parse(writeError(new GatewayError('internal_error', 'x')).body).error.param).toBeNull()
  })

  test('no second try where none can help', () => {
    const hint = (error: GatewayError) => writeError(error).headers['x-should-retry']
    for (const code of ['insufficient_quota', 'model_not_found', 'invalid_api_key', 'upstream_auth_failed'] as const) {
      expect(hint(new GatewayError(code, 'x'))).toBe('false')
    }
    expect(hint(read(404, said('model')))).toBe('false')
    for (const code of ['rate_limit_exceeded', 'upstream_error', 'no_channel_available'] as const)
      expect(hint(new GatewayError(code, 'x'))).toBeUndefined()
  })

  test('Retry-After when there is one', () => {
    expect(writeError(new GatewayError('overloaded', 'x', { retryAfter: 2.2 })).headers['retry-after']).toBe('3')
    expect(writeError(new GatewayError('overloaded', 'x')).headers).not.toHaveProperty('retry-after')
  })

  test('inside a stream, with its terminator', () => {
    const text = new TextDecoder().decode(writeStreamError(new GatewayError('upstream_error', 'a\n"b"')))
    expect(text).toBe(
      'data: {"error":{"message":"a\\n\\"b\\"","type":"server_error","code":"upstream_error","param":null}}\n\ndata: [DONE]\n\n',
    )
  })
})
