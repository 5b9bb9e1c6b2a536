/**
 * Steps 6 to 8 for a stream. The head is held until the first meaningful event, or until the client has waited one heartbeat; from the
 * first content on nothing is retried and errors are sent in-band. The terminator is sent only after settlement.
 */

import type { Reply } from '#relay/contract/ask'
import type { Received } from '#relay/contract/steps'
import type { Clock } from '#runtime/clock'
import { streamLimits } from '#upstream/timeouts'
import { Flow } from './flow.ts'
import { type Opening, open } from './opening.ts'
import type { Receiver } from './send.ts'
import { lossesOf, type StreamParts } from './stream-parts.ts'

/** Takes a stream at its first meaningful event. */
export const streamReceiver = (clock: Clock): Receiver<Opening> => ({
  limits: ({ channel, model }) => streamLimits(channel.timeouts, model.capabilities.reasoning === true),
  receive: (answer, exchange, timer) => open(exchange, answer, timer, clock),
})

/** Whether `work` settled, either way, within `ms`. */
function endsWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const late = clock.after(ms, () => resolve(false))
  const ended = () => {
    late.cancel()
    resolve(true)
  }
  work.then(ended, ended)
  return promise
}

/** Rejects with GatewayError, already settled, when every attempt failed before the head was committed. */
export async function streamed(sending: Promise<Received<Opening>>, stream: StreamParts): Promise<Reply> {
  const { parts, request, hold, settlement } = stream
  const { keepalive } = request
  // Without a heartbeat frame in the dialect the client waits for the head.
  const answered = keepalive === undefined || (await endsWithin(sending, parts.heartbeatMs, parts.clock))
  try {
    const received = answered ? await sending : undefined
    const contentType = received?.value.contentType ?? 'text/event-stream; charset=utf-8'
    const body = new Flow(stream, sending, answered ? undefined : keepalive)
    const settling = received && body.open(received)
    if (settling) await settling
    return {
      status: 200,
      contentType,
      body,
      losses: lossesOf(received),
      left: hold.ticket.left,
      ...(keepalive && { heartbeat: keepalive }),
    }
  } catch (thrown) {
    throw await settlement.refuse(thrown)
  }
}
