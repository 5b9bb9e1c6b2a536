/** A whole answer of an upstream, as one canonical response. It is read as a stream of one chunk, so both agree. */
import type { CodecContext, Memo, ReadResponse } from '#canonical/codec'
import { gathered } from '#canonical/response-events'
import { keepDigits, keepFloats } from '#shared/exact-numbers'
import { pick } from '../proto-json.ts'
import { readUsage, settleUsage } from '../usage.ts'
import { hasCall } from './part.ts'
import { parseAnswer } from './response-meter.ts'
import { answerReader } from './stream-read.ts'

/** Throws GatewayError `upstream_error` when the body is not an answer of this dialect. */
export function readResponse(body: string, memo: Memo, codecContext: CodecContext): ReadResponse {
  const answer = parseAnswer(body)
  keepDigits(body, answer)
  if (hasCall(body)) keepFloats(body, answer)
  const reader = answerReader(memo, codecContext, true)
  const events = reader.push(answer)
  const response = gathered([...events, ...reader.finish()])
  const reading = readUsage(pick(answer, 'usageMetadata'), reader.delivered)
  const losses = reader.losses()
  return {
    ...response,
    usage: settleUsage(reading, reader.delivered, { inputBytes: 0, isOver: true }),
    ...(losses.length > 0 && { losses }),
  }
}
