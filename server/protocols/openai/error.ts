/**
 * Errors of the OpenAI family: reads upstream errors as Parley's own, and writes Parley's errors. Every endpoint of the family uses these,
 * whatever its operation. Must not know which channel or key was used.
 */

import type { WrittenError } from '#canonical/codec'
import { errorHeaders } from '#canonical/error-headers'
import { plainWord, scrub, scrubbed } from '#canonical/scrub'
import { type ErrorDetail, GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'

/** The details of an upstream's refusal, as far as they may be repeated. */
interface Complaint {
  message: string | undefined
  type: string | undefined
  code: string | undefined
  param: string | undefined
  /** What Azure's filter found, by kind. */
  inner: unknown
}

const silent: Complaint = { message: undefined, type: undefined, code: undefined, param: undefined, inner: undefined }

/**
 * An upstream's refusal by its status, headers and body. What blames the caller (400, 413, 415, 422 and a 404) is passed on with its status
 * and scrubbed message; everything else is the channel's fault, and the message does not mention the upstream.
 */
export function readError(status: number, headers: Headers, body: string): GatewayError {
  return refusal(status, complaintIn(body), retryAfter(headers))
}

/** The `error` of a stream's event or of a body that came with status 200; its own code or type is used as the status. */
export function readInnerError(error: unknown): GatewayError {
  const complaint = read(error)
  return refusal(isObject(error) ? innerStatus(error, complaint) : 502, complaint, undefined)
}

function refusal(status: number, said: Complaint, wait: number | undefined): GatewayError {
  const detail: ErrorDetail = wait === undefined ? {} : { retryAfter: wait }
  const named = [said.code, said.type].join(' ')
  if (status === 401 || status === 403 || /invalid_api_key|authentication_error/i.test(named) || isKeyComplaint(said)) {
    return new GatewayError('upstream_auth_failed', 'The upstream did not accept the credentials of its channel.')
  }
  if (status === 429 || status === 402 || /insufficient_quota|insufficient_balance|billing|(?:spend|usage|rate)_limit/i.test(named)) {
    return new GatewayError('upstream_rate_limited', 'The upstream limits requests at the moment. Try again shortly.', detail)
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

function rejection(status: number, said: Complaint): GatewayError {
  if (said.message === undefined) return new GatewayError('upstream_rejected', 'The upstream refused the request.', { status })
  return new GatewayError('upstream_rejected', said.message, {
    status,
    publicCode: isTooLong(said) ? 'context_length_exceeded' : (said.code ?? null),
    ...(said.type !== undefined && { publicType: said.type }),
    ...(said.param !== undefined && { param: said.param }),
    ...(said.inner !== undefined && { kept: { innererror: said.inner } }),
    // The address of the channel may be wrong, which another one need not share.
    ...(status === 404 && { retry: 'other' as const }),
  })
}

/** Some upstreams answer 400 to an unknown key. Only the beginning counts: the rest may quote the caller. */
const isKeyComplaint = ({ message }: Complaint) => /^(?:API key not valid|(?:incorrect|invalid) API key)/i.test(message ?? '')

/** Servers that copy this API report it by type, or only in the message. */
const isTooLong = ({ code, type, message }: Complaint) =>
  [code, type].some((word) => word === 'context_length_exceeded' || word === 'exceed_context_size_error') ||
  (code === undefined && /^This model's maximum context length is\b/i.test(message ?? ''))

function isModelComplaint(status: number, said: Complaint): boolean {
  if (said.code === 'model_not_found') return true
  return status === 404 && (said.param === 'model' || /\bmodel\b/i.test(said.message ?? ''))
}

function complaintIn(body: string): Complaint {
  try {
    const parsed: unknown = JSON.parse(body)
    const root = Array.isArray(parsed) ? parsed[0] : parsed
    if (!isObject(root)) return silent
    return read(root.error ?? (typeof root.message === 'string' ? root : undefined))
  } catch {
    return silent
  }
}

function read(error: unknown): Complaint {
  if (typeof error === 'string') return { ...silent, message: scrub(error) || undefined }
  if (!isObject(error)) return silent
  return {
    message: typeof error.message === 'string' ? scrub(error.message) || undefined : undefined,
    type: plainWord(error.type),
    code: plainWord(error.code),
    param: plainWord(error.param),
    inner: scrubbed(error.innererror),
  }
}

function innerStatus(error: Record<string, unknown>, said: Complaint): number {
  for (const number of [error.code, error.status, error.status_code]) {
    if (typeof number === 'number' && number >= 400 && number <= 599) return number
  }
  return said.type === 'invalid_request_error' ? 400 : 502
}

/** Seconds to wait, from 1 to 60. A date is ignored: this code has no clock. */
function retryAfter(headers: Headers): number | undefined {
  const milliseconds = decimal(headers.get('retry-after-ms'))
  const seconds = milliseconds === undefined ? decimal(headers.get('retry-after')) : milliseconds / 1000
  return seconds === undefined ? undefined : Math.min(60, Math.max(1, Math.ceil(seconds)))
}

const decimal = (text: string | null) => (text !== null && /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined)

/** A refusal in OpenAI's envelope. The endpoint adds the request id. */
export function writeError(error: GatewayError): WrittenError {
  return { status: error.status, headers: errorHeaders(error), body: envelope(error) }
}

/** The same error inside a stream that has begun, and the stream's terminator. */
export function writeStreamError(error: GatewayError): Uint8Array {
  return new TextEncoder().encode(`data: ${envelope(error)}\n\ndata: [DONE]\n\n`)
}

function envelope({ message, type, publicCode, param, kept }: GatewayError): string {
  const innererror = kept?.innererror
  return JSON.stringify({
    error: { message, type, code: publicCode, param: param ?? null, ...(innererror !== undefined && { innererror }) },
  })
}
