/**
 * Step 7 for an answer that is not streamed: read whole, checked, settled, and only then given. Whoever leaves meanwhile pays for it: the
 * upstream makes it to its end, within the timeouts of its channel, and what it may cost is held.
 */
import type { WholeAnswer } from '#canonical/codec'
import { joinLosses } from '#canonical/loss'
import type { RelayParts, Reply } from '#relay/contract/ask'
import type { Arrival, Hold, ReadRequest, Received } from '#relay/contract/steps'
import { readText } from '#relay/exchange/answer-text'
import { clientClosed } from '#relay/exchange/ended'
import type { Settlement } from '#relay/spend/settle'
import { GatewayError } from '#shared/errors'
import { phaseLimits } from '#upstream/timeouts'
import type { UpstreamAnswer } from '#upstream/upstream'
import { remember } from './remember.ts'
import type { Receiver } from './send.ts'

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

/** Takes an answer when all of it is here, and all answers to further requests that belong to it. */
export const wholeReceiver: Receiver<WholeAnswer> = {
  limits: (candidate) => phaseLimits({ firstEvent: wholeAnswerSeconds, ...candidate.channel.timeouts }),
  async receive(answer, exchange, timer, send) {
    try {
      const body = await readWhole(answer)
      const rest: string[] = []
      for (const request of exchange.rest ?? []) rest.push(await readWhole(await send(request)))
      return exchange.whole(body, rest)
    } finally {
      timer.stop()
    }
  },
}

/** What a whole answer needs of the steps before it. */
export interface WholeParts {
  parts: RelayParts
  arrival: Arrival
  request: ReadRequest
  hold: Hold
  settlement: Settlement
}

/** Rejects with GatewayError, already settled. */
export async function whole(
  sending: Promise<Received<WholeAnswer>>,
  { parts, arrival, request, hold, settlement }: WholeParts,
): Promise<Reply> {
  try {
    const received = await sending
    const { value, exchange } = received
    // An answer that was made is never withheld for what it lost, not even in strict mode: the losses are told.
    const losses = joinLosses(exchange.losses, value.losses)
    await remember(parts, request, value.body)
    const isLeft = arrival.flight.left()
    await settlement.settle({
      end: isLeft ? 'aborted' : value.end,
      status: isLeft ? 499 : 200,
      error: isLeft ? clientClosed() : undefined,
      usage: value.usage,
      served: received,
      losses,
      firstAt: parts.clock.monotonic(),
      streamedMs: 0,
    })
    return { status: 200, contentType: value.contentType ?? 'application/json', body: value.body, losses, left: hold.ticket.left }
  } catch (thrown) {
    throw await settlement.refuse(thrown)
  }
}
