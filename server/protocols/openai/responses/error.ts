/** Failures inside an answer: a response that failed, an `error` event, and how Parley writes its own. */
import { GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { readInnerError } from '../error.ts'

/** Codes of a failed response that blame the caller; all others blame the upstream. */
const callerFaults = new Set([
  'invalid_prompt',
  'bio_policy',
  'misalignment_policy_violation',
  'context_length_exceeded',
  'invalid_image',
  'invalid_image_format',
  'invalid_base64_image',
  'invalid_image_url',
  'image_too_large',
  'image_too_small',
  'image_parse_error',
  'image_content_policy_violation',
  'invalid_image_mode',
  'image_file_too_large',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
  'image_file_not_found',
])

/** The `error` of a response that failed. */
export function readFailure(error: unknown): GatewayError {
  if (isObject(error) && typeof error.code === 'string' && callerFaults.has(error.code)) return readInnerError({ ...error, status: 400 })
  return readInnerError(error)
}

/** An `error` event, whose fields are next to its type or inside `error`. */
export const readErrorEvent = (event: Record<string, unknown>) => readFailure(isObject(event.error) ? event.error : event)

/** The answer is none of this dialect, or stopped being one. */
export const notAnAnswer = () => new GatewayError('upstream_error', 'The upstream sent an answer that is not a response.')

/** The stream ended without saying how: never a success. */
export const cutOff = () => new GatewayError('upstream_error', 'The upstream ended its answer before it was complete.')

/** The `error` field of a response that failed. */
export const failureField = ({ publicCode, message }: GatewayError) => ({ code: publicCode ?? 'server_error', message })

/** One event of the stream: the name, and the same name as the data's type. */
export function eventBytes(type: string, sequence: number, fields: Record<string, unknown>): Uint8Array {
  return new TextEncoder().encode(eventText(type, sequence, fields))
}

/** The same as text; a placeholder may be used for an unknown sequence number. */
export const eventText = (type: string, sequence: number | string, fields: Record<string, unknown>): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence, ...fields })}\n\n`

/** An error of a stream that has not yet announced its response. The dialect needs no terminator after it. */
export function writeStreamError({ publicCode, message, param }: GatewayError, sequence = 0): Uint8Array {
  return eventBytes('error', sequence, { code: publicCode, message, param: param ?? null })
}
