/**
 * Errors of the Anthropic family: reads upstream errors as Parley's own, and writes Parley's errors. Every endpoint of the family uses
 * these, whatever its operation. Must not know which channel or key was used.
 */

import type { WrittenError } from '#canonical/codec'
import { errorHeaders } from '#canonical/error-headers'
import { plainWord, scrub } from '#canonical/scrub'
import { type ErrorDetail, GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'

/** The details of an upstream's refusal, as far as they may be repeated. */
interface Complaint {
  type: string | undefined
  message: string | undefined
}

const silent: Complaint = { type: undefined, message: undefined }

/**
 * An upstream's refusal by its status, headers and body. What blames the caller (400, 413, 415, 422 and a 404) is passed on with its status
 * and scrubbed message; everything else is the channel's fault, and the message does not mention the upstream.
 */
export function readError(status: number, headers: Headers, body: string): GatewayError {
  return refusal(status, complaintIn(body), retryAfter(headers))
}

/** The `error` of a stream's event or of a body that came with status 200; its type stands in for a status. */
export function readInnerError(error: unknown): GatewayError {
  const said = read(error)
  return refusal(statuses[said.type ?? ''] ?? 500, said, undefined)
}

/** The vendor's error types, and the status each comes with. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

const has = (said: Complaint, status: number) => statuses[said.type ?? ''] === status

function refusal(status: number, said: Complaint, wait: number | undefined): GatewayError {
  const detail: ErrorDetail = wait === undefined ? {} : { retryAfter: wait }
  if (status === 401 || status === 403 || has(said, 401) || has(said, 403)) {
    return new GatewayError('upstream_auth_failed', 'The upstream did not accept the credentials of its channel.')
  }
  if (status === 429 || status === 402 || has(said, 429) || has(said, 402) || isOutOfCredit(said)) {
    return new GatewayError('upstream_rate_limited', 'The upstream limits requests at the moment. Try again shortly.', detail)
  }
  if (status === 504 || has(said, 504)) return new GatewayError('upstream_timeout', 'The upstream took too long to answer.', detail)
  // Its own status, so that each dialect can express that retrying later helps.
  if (status === 529 || has(said, 529)) {
    return new GatewayError('upstream_error', 'The upstream is overloaded at the moment. Try again shortly.', { ...detail, status: 503 })
  }
  if (isModelComplaint(status, said)) {
    return new GatewayError('upstream_rejected', 'The upstream does not offer this model.', {
      status: 404,
      publicCode: 'model_not_found',
      param: 'model',
      retry: 'other',
    })
  }
  if ([400, 413, 415, 422].includes(status) || (status === 404 && said.message !== undefined)) return rejection(status, said)
  return new GatewayError('upstream_error', 'The upstream failed to answer. Try again shortly.', detail)
}

function rejection(status: number, { message }: Complaint): GatewayError {
  return new GatewayError('upstream_rejected', message ?? 'The upstream refused the request.', {
    status,
    ...(isTooLong(message) && { publicCode: 'context_length_exceeded' }),
    // The channel's address may be wrong; another channel's need not be.
    ...(status === 404 && { retry: 'other' as const }),
  })
}

/** The vendor answers 400 when a prepaid account is empty. Only the beginning counts: the rest may quote the caller. */
const isOutOfCredit = ({ message }: Complaint) => /^Your credit balance is too low/i.test(message ?? '')

/** The vendor has no code for it. */
const isTooLong = (message: string | undefined) =>
  /^(?:prompt is too long\b|input length and `max_tokens` exceed context limit\b)/i.test(message ?? '')

/** The vendor's message is `model: NAME`. */
const isModelComplaint = (status: number, { message }: Complaint) => status === 404 && /\bmodel\b/i.test(message ?? '')

function complaintIn(body: string): Complaint {
  try {
    const parsed: unknown = JSON.parse(body)
    if (!isObject(parsed)) return silent
    return read(parsed.error ?? (typeof parsed.message === 'string' ? parsed : undefined))
  } catch {
    return silent
  }
}

function read(error: unknown): Complaint {
  if (typeof error === 'string') return { type: undefined, message: scrub(error) || undefined }
  if (!isObject(error)) return silent
  const message = typeof error.message === 'string' ? scrub(error.message) || undefined : undefined
  return { type: plainWord(error.type), message }
}

/** Seconds to wait, between 1 and 60; a date is ignored, because codecs have no clock. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  return text !== null && /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Math.min(60, Math.max(1, Math.ceil(Number(text)))) : undefined
}

/** A refusal in the envelope of the family; `requestId` is named in it when it is known. */
export function writeError(error: GatewayError, requestId?: string): WrittenError {
  return { status: outwards(error).status, headers: errorHeaders(error), body: envelope(error, requestId) }
}

/** The same error inside a stream that has begun; nothing follows it. */
export function writeStreamError(error: GatewayError): Uint8Array {
  return new TextEncoder().encode(`event: error\ndata: ${envelope(error)}\n\n`)
}

function envelope(error: GatewayError, requestId?: string): string {
  const { message, publicCode } = error
  const { type } = outwards(error)
  return JSON.stringify({
    type: 'error',
    error: { type, message, ...(publicCode !== null && { code: publicCode }), ...threadDetails(error) },
    ...(requestId !== undefined && { request_id: requestId }),
  })
}

/** The details that make the vendor's SDK continue without the thread, or resend all of it. */
function threadDetails({ code, param, publicCode }: GatewayError): { details?: object } {
  if (publicCode === 'thread_not_found') return { details: { error_code: 'thread_not_found' } }
  const isThread = code === 'unsupported_value' && param === 'thread'
  return isThread ? { details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] } } : {}
}

/** Statuses that only this family uses: 402 for an empty balance, 529 for overload. */
function outwards({ code, status }: GatewayError): { status: number; type: string } {
  if (code === 'insufficient_quota') return { status: 402, type: 'billing_error' }
  if (status === 503) return { status: 529, type: 'overloaded_error' }
  return { status, type: types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error') }
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
}
