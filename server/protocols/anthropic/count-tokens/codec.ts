/**
 * Counting tokens: the body of a Messages request without its limit on output, answered with one figure. An upstream of the
 * same family gets the client's own bytes (`editRequest`), one of another family the conversation.
 */

import type { CountCodec } from '#canonical/codec'
import { GatewayError } from '#shared/errors'
import { parseObject } from '#wire/json-scan'
import { readInnerError } from '../error.ts'
import { readCountHead, scan } from '../messages/head.ts'
import { readCountRequest } from '../messages/request-read.ts'
import { writeRequest } from '../messages/request-write.ts'
import { editRequest } from '../request-edit.ts'

/** Counting tokens in the Messages dialect, as an endpoint for clients and as an upstream. */
export const countTokens: CountCodec = {
  scan,
  readHead: readCountHead,
  editRequest,
  readRequest: readCountRequest,
  writeRequest(request, target) {
    const written = writeRequest(request, target)
    const fields = Object.entries(written.body).filter(([field]) => !unknown.has(field))
    return { ...written, body: Object.fromEntries(fields) }
  },
  readResponse(body) {
    const answer = parseObject(body)
    if (answer?.error) throw readInnerError(answer.error)
    const tokens = answer?.input_tokens
    if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0) return tokens
    throw new GatewayError('upstream_error', 'The upstream sent an answer that is not a token count.')
  },
  writeResponse: (tokens) => JSON.stringify({ input_tokens: tokens }),
}

/** Fields that only matter for an answer; the vendor refuses them here. */
const unknown = new Set(['max_tokens', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'metadata', 'service_tier', 'speed'])
