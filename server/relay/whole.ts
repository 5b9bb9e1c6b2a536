/** Step 7 for an answer that is not streamed: read whole, checked, settled, and only then given. */
import type { WholeAnswer } from '#canonical/codec'
import { asGatewayError, GatewayError } from '#shared/errors'
import { phaseLimits } from '#upstream/timeouts'
import type { Call, Reply } from './ask.ts'
import { readText, sendAny } from './attempt.ts'
import { upstreamRequest } from './request.ts'
import { closeAttempt, settle } from './settle.ts'

/** Bytes; a larger answer is no answer that a client could use. */
const answerBytes = 64 * 1024 * 1024

/** A whole answer has no earlier sign of life than its end, so it may take longer than the first event of a stream. */
const wholeAnswerSeconds = 600

export async function whole(call: Call): Promise<Reply> {
  const { parts, ask, codec, raw, head, candidates, attempts } = call
  try {
    const { candidate, value } = await sendAny<WholeAnswer>({
      parts,
      codec,
      candidates,
      attempts,
      signal: ask.signal,
      limits: (candidate) => phaseLimits({ firstEvent: wholeAnswerSeconds, ...candidate.channel.timeouts }),
      request: (candidate) => upstreamRequest(ask, codec, raw, head, candidate, parts.version),
      async receive(answer, candidate, timer) {
        try {
          const body = await readText(answer, answerBytes)
          if (!body.whole) throw new GatewayError('upstream_error', 'The upstream answer was too large.')
          const edits = candidate.model.upstream === head.model ? {} : { model: head.model }
          return codec.readWhole(body.text, edits, head.inputBytes)
        } finally {
          answer.cancel()
          timer.stop()
        }
      },
    })
    closeAttempt(call, undefined, 0)
    const took = parts.clock.monotonic() - call.begun.tick
    await settle(call, { end: value.end, status: 200, error: undefined, usage: value.usage, served: candidate, firstTokenMs: took })
    return { status: 200, contentType: 'application/json', body: value.body }
  } catch (thrown) {
    const error = asGatewayError(thrown)
    const end = error.code === 'client_closed_request' ? 'aborted' : 'error'
    await settle(call, { end, status: error.status, error, usage: undefined, served: undefined, firstTokenMs: undefined })
    throw error
  }
}
