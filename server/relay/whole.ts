/** Step 7 for an answer that is not streamed: read whole, checked, settled, and only then given. */
import type { WholeAnswer } from '#canonical/codec'
import { joinLosses } from '#canonical/loss'
import { GatewayError } from '#shared/errors'
import { phaseLimits } from '#upstream/timeouts'
import type { UpstreamAnswer } from '#upstream/upstream'
import type { Reply } from './ask.ts'
import { readText } from './attempt.ts'
import type { Call } from './call.ts'
import { sendToModels } from './fallback.ts'
import { closeAttempt, refuse, remember, settle } from './settle.ts'

/** Bytes; a larger answer is no answer that a client could use. */
const answerBytes = 64 * 1024 * 1024

/** A whole answer has no earlier sign of life than its end, so it may take longer than the first event of a stream. */
const wholeAnswerSeconds = 600

async function readWhole(answer: UpstreamAnswer): Promise<string> {
  try {
    const body = await readText(answer, answerBytes)
    if (!body.whole) throw new GatewayError('upstream_error', 'The upstream answer was too large.')
    return body.text
  } finally {
    answer.cancel()
  }
}

/** Rejects with GatewayError, already settled. */
export async function whole(call: Call): Promise<Reply> {
  const { parts, ask, begun } = call
  try {
    const received = await sendToModels<WholeAnswer>({
      call,
      signal: ask.signal,
      limits: (candidate) => phaseLimits({ firstEvent: wholeAnswerSeconds, ...candidate.channel.timeouts }),
      async receive(answer, way, timer, send) {
        try {
          const body = await readWhole(answer)
          const rest: string[] = []
          for (const request of way.rest ?? []) rest.push(await readWhole(await send(request)))
          return way.whole(body, rest)
        } finally {
          timer.stop()
        }
      },
    })
    const { value, way } = received
    // An answer that was made is never withheld for what it lost, not even in strict mode: it is told.
    const losses = joinLosses(way.losses, value.losses)
    closeAttempt(call, undefined, 0)
    await remember(call, value.body)
    await settle(call, {
      end: value.end,
      status: 200,
      error: undefined,
      usage: value.usage,
      served: received,
      losses,
      firstTokenMs: parts.clock.monotonic() - begun.tick,
    })
    return { status: 200, contentType: value.contentType ?? 'application/json', body: value.body, losses, left: call.left }
  } catch (thrown) {
    throw await refuse(call, thrown)
  }
}
