/**
 * Counts the input tokens of a Responses request: its body without the fields that only matter for the answer; the result is one figure.
 */
import type { CountCodec } from '#canonical/codec'
import { GatewayError } from '#shared/errors'
import { parseObject } from '#wire/json-scan'
import { editRequest, readHead, scan } from '../responses/head.ts'
import { readRequest } from '../responses/request-read.ts'
import { writeRequest } from '../responses/request-write.ts'

/** The fields that the vendor accepts here; it refuses all others. */
const counted = new Set([
  ...['conversation', 'input', 'instructions', 'model', 'parallel_tool_calls', 'previous_response_id', 'reasoning', 'text'],
  ...['tool_choice', 'tools', 'truncation'],
])

/** Counting tokens in the dialect Responses, as an endpoint for clients and as an upstream. */
export const countResponses: CountCodec = {
  scan,
  readHead: (body) => ({ ...readHead(body), stream: false }),
  editRequest,
  readRequest,
  writeRequest(request, target) {
    const written = writeRequest(request, target)
    return { ...written, body: Object.fromEntries(Object.entries(written.body).filter(([field]) => counted.has(field))) }
  },
  readResponse(body) {
    const tokens = parseObject(body)?.input_tokens
    if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0) return tokens
    throw new GatewayError('upstream_error', 'The upstream sent an answer that is not a token count.')
  },
  writeResponse: (tokens) => JSON.stringify({ object: 'response.input_tokens', input_tokens: tokens }),
}
