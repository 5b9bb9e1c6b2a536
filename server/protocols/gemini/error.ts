/**
 * Errors of the Gemini family: reads upstream errors as Parley's own, and writes Parley's errors. Google describes errors in three places:
 * the HTTP status, a status name, and typed details. Must not know which channel or key was used.
 */

import type { WrittenError } from '#canonical/codec'
import { errorHeaders } from '#canonical/error-headers'
import { plainWord, scrub } from '#canonical/scrub'
import { type ErrorDetail, GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { type Body, numeric, pick, pickObjects, pickText } from './proto-json.ts'

/** The details of an upstream's refusal, as far as they may be repeated. */
interface Complaint {
  /** The status name (`RESOURCE_EXHAUSTED`). */
  word: string | undefined
  /** The number inside the body. */
  number: number | undefined
  message: string | undefined
  /** The reason in an ErrorInfo (`API_KEY_INVALID`). */
  reason: string | undefined
  /** The fields named by a BadRequest, with their errors. */
  violations: { field: string; description: string }[]
  /** Seconds to wait. */
  wait: number | undefined
}

const silent: Complaint = { word: undefined, number: undefined, message: undefined, reason: undefined, violations: [], wait: undefined }

/**
 * An upstream's refusal by its status, headers and body. What blames the caller (400, 413, 415, 422 and a 404) is passed on with its status
 * and scrubbed message; everything else is the channel's fault, and the message does not name the upstream.
 */
export function readError(status: number, headers: Headers, body: string): GatewayError {
  const said = complaintIn(body)
  return refusal(status, { ...said, wait: said.wait ?? seconds(headers.get('retry-after')) })
}

/** The `error` of a stream's event or of a body that came with status 200; its own code or status name is used as the status. */
export function readInnerError(error: unknown): GatewayError {
  const said = read(error)
  return refusal(said.number ?? statusOf(said.word) ?? 502, said)
}

function refusal(status: number, said: Complaint): GatewayError {
  const detail: ErrorDetail = said.wait === undefined ? {} : { retryAfter: said.wait }
  if (status === 401 || status === 403 || /^(?:UNAUTHENTICATED|PERMISSION_DENIED)$/.test(said.word ?? '') || isKeyComplaint(said)) {
    return new GatewayError('upstream_auth_failed', 'The upstream did not accept the credentials of its channel.')
  }
  if (status === 429 || status === 402 || said.word === 'RESOURCE_EXHAUSTED') {
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
  // 400 FAILED_PRECONDITION is about the account: its country, its billing.
  const blamesCaller = [400, 413, 415, 422].includes(status) && said.word !== 'FAILED_PRECONDITION'
  if (blamesCaller || (status === 404 && said.message !== undefined)) return rejection(status, said)
  return new GatewayError('upstream_error', 'The upstream failed to answer. Try again shortly.', detail)
}

function rejection(status: number, said: Complaint): GatewayError {
  return new GatewayError('upstream_rejected', said.message ?? 'The upstream refused the request.', {
    status,
    publicCode: isTooLong(said) ? 'context_length_exceeded' : 'invalid_request',
    ...(said.violations[0] && { param: said.violations[0].field, kept: { fieldViolations: said.violations } }),
    // The channel's address may be wrong; another channel's need not be.
    ...(status === 404 && { retry: 'other' as const }),
  })
}

/** Only the beginning of a message counts: the rest may quote the caller. */
const isKeyComplaint = ({ reason, message }: Complaint) =>
  /^API_KEY_/.test(reason ?? '') || /^API key (?:not valid|expired)/i.test(message ?? '')
const isTooLong = ({ message }: Complaint) => /^The input token count\b.{0,40}\bexceeds the maximum/i.test(message ?? '')

function isModelComplaint(status: number, { word, message }: Complaint): boolean {
  return (status === 404 || word === 'NOT_FOUND') && /\bmodels?\b/i.test(message ?? '')
}

function complaintIn(body: string): Complaint {
  try {
    const parsed: unknown = JSON.parse(body)
    // The error of a stream without `alt=sse` is a list.
    const root = Array.isArray(parsed) ? parsed[0] : parsed
    return isObject(root) ? read(root.error) : silent
  } catch {
    return silent
  }
}

function read(error: unknown): Complaint {
  if (typeof error === 'string') return { ...silent, message: scrub(error) || undefined }
  if (!isObject(error)) return silent
  const number = numeric(error.code)
  const details = pickObjects(error, 'details')
  const info = details.find((detail) => isKind(detail, 'ErrorInfo'))
  const retry = details.find((detail) => isKind(detail, 'RetryInfo'))
  const bad = details.filter((detail) => isKind(detail, 'BadRequest')).flatMap((detail) => pickObjects(detail, 'fieldViolations'))
  return {
    word: plainWord(error.status),
    number: number !== undefined && number >= 400 && number <= 599 ? number : undefined,
    message: scrub(pickText(error, 'message') ?? '') || undefined,
    reason: info && plainWord(info.reason),
    violations: bad.slice(0, mostViolations).flatMap(readViolation),
    wait: retry && seconds(pickText(retry, 'retryDelay')?.replace(/s$/, '') ?? null),
  }
}

/** An upstream that names more must not fill the answer. */
const mostViolations = 32

function readViolation(violation: Body): Complaint['violations'] {
  const field = plainWord(violation.field)
  return field === undefined ? [] : [{ field, description: scrub(pickText(violation, 'description') ?? '') }]
}

const isKind = (detail: Body, name: string) => pick(detail, '@type') === `type.googleapis.com/google.rpc.${name}`

/** Seconds to wait, between 1 and 60; a date is ignored, because codecs have no clock. */
function seconds(text: string | null): number | undefined {
  if (text === null || !/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return undefined
  return Math.min(60, Math.max(1, Math.ceil(Number(text))))
}

/** The status names, each with its HTTP status. If two names have the same status, the first is written. */
const words: readonly (readonly [status: number, word: string])[] = [
  [400, 'INVALID_ARGUMENT'],
  [400, 'FAILED_PRECONDITION'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [500, 'INTERNAL'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
]

/** The last row counts: DEADLINE_EXCEEDED is the upstream's own, 504. */
const statusOf = (word: string | undefined) => words.findLast(([, known]) => known === word)?.[0]

const wordOf = (status: number) => words.find(([known]) => known === status)?.[1] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'INTERNAL')

/** The numbers of these names in `google.rpc.Code`. */
const codes: Readonly<Record<string, number>> = {
  ...{ CANCELLED: 1, UNKNOWN: 2, INVALID_ARGUMENT: 3, DEADLINE_EXCEEDED: 4, NOT_FOUND: 5, PERMISSION_DENIED: 7, RESOURCE_EXHAUSTED: 8 },
  ...{ FAILED_PRECONDITION: 9, ABORTED: 10, INTERNAL: 13, UNAVAILABLE: 14, UNAUTHENTICATED: 16 },
}

/** The number of a status name, as used in errors inside answers; UNKNOWN for any other. */
export const rpcCode = (word: unknown): number => (typeof word === 'string' ? codes[word] : undefined) ?? 2

/** An error in Google's envelope, which has no field for the request id; that is in a header. */
export function writeError(error: GatewayError): WrittenError {
  return { status: error.status, headers: errorHeaders(error), body: JSON.stringify(envelope(error)) }
}

/** The same error inside a stream that has begun. Its number is what Google's SDK looks at; no terminator follows. */
export function writeStreamError(error: GatewayError): Uint8Array {
  return new TextEncoder().encode(`data: ${JSON.stringify(envelope(error))}\n\n`)
}

function envelope({ status, message, publicCode, param, retryAfter, kept }: GatewayError) {
  const details: Body[] = []
  const add = (kind: string, fields: Body) => details.push({ '@type': `type.googleapis.com/google.rpc.${kind}`, ...fields })
  if (publicCode !== null) add('ErrorInfo', { reason: publicCode, domain: 'parley' })
  const violations = kept?.fieldViolations ?? (param === undefined ? undefined : [{ field: param, description: message }])
  if (violations !== undefined) add('BadRequest', { fieldViolations: violations })
  if (retryAfter !== undefined) add('RetryInfo', { retryDelay: `${Math.ceil(retryAfter)}s` })
  return { error: { code: status, message, status: wordOf(status), details } }
}
