import { expect, test } from 'bun:test'
import { type ErrorCode, type ErrorDetail, GatewayError } from '#shared/errors'
import { causeOf } from './send.ts'

const cause = (code: ErrorCode, detail: ErrorDetail = {}) => causeOf(new GatewayError(code, 'x', detail))

test('which failures another model may make good', () => {
  for (const code of [
    'upstream_error',
    'upstream_timeout',
    'upstream_rate_limited',
    'upstream_auth_failed',
    'no_channel_available',
  ] as const) {
    expect([code, cause(code)]).toEqual([code, 'error'])
  }
  expect(cause('upstream_rejected', { publicCode: 'context_length_exceeded' })).toBe('context')
  expect(cause('upstream_rejected', { publicCode: 'content_filter' })).toBe('filter')
  // The upstream does not know this model, but it may know another one.
  expect(cause('upstream_rejected', { publicCode: 'model_not_found', status: 404, retry: 'other' })).toBe('error')
})

test('what is the caller’s own fault, or ours, is final', () => {
  for (const code of ['upstream_rejected', 'unsupported_value', 'insufficient_quota', 'client_closed_request', 'internal_error'] as const) {
    expect([code, cause(code)]).toEqual([code, undefined])
  }
})
