/**
 * Step 7 for an answer that is not streamed: read whole, checked, settled, and only then returned. A client that disconnects meanwhile pays
 * for it: the upstream finishes the answer, within the timeouts of its channel, and its possible cost stays held.
 */
import type { WholeAnswer } from '#canonical/codec'
import { joinLosses } from '#canonical/loss'
import type { RelayParts, Reply } from '#relay/contract/ask'
import type { Exchange } from '#relay/contract/exchange'
import { light } from '#relay/contract/large-body'
import type { Arrival, Hold, ReadRequest, Received } from '#relay/contract/steps'
import { readPieces, textOf } from '#relay/exchange/answer-text'
import { clientClosed } from '#relay/exchange/ended'
import { type LongPictures, longPictures } from '#relay/exchange/long-pictures'
import type { Settlement } from '#relay/spend/settle'
import { GatewayError } from '#shared/errors'
import { phaseLimits } from '#upstream/timeouts'
import type { UpstreamAnswer } from '#upstream/upstream'
import { remember } from './remember.ts'
import type { Receiver } from './send.ts'

/** Bytes; no client could use a larger answer. */
const answerBytes = 64 * 1024 * 1024

/** A whole answer shows no progress before its end, so it may take longer than the first event of a stream. */
const wholeAnswerSeconds = 600

/** An answer written for its client. */
interface WrittenWhole extends WholeAnswer {
  /** They replace the placeholders in its text. */
  pictures?: LongPictures
  /** Used instead of its text. */
  bytes?: Uint8Array
}

/** A body as received: a small one as text. */
interface Came {
  text?: string
  pieces: readonly Uint8Array[]
  size: number
}

const nothing: readonly never[] = []

async function readBody(answer: UpstreamAnswer): Promise<Came> {
  try {
    if (answer.readAll) return { text: textOf([await answer.readAll()]), pieces: nothing, size: 0 }
    const { pieces, size } = demandWhole(await readPieces(answer, answerBytes))
    return size <= light.bytes ? { text: textOf(pieces), pieces, size } : { pieces, size }
  } finally {
    answer.cancel()
  }
}

function demandWhole<Body extends { whole: boolean }>(body: Body): Body {
  if (!body.whole) throw new GatewayError('upstream_error', 'The upstream answer was too large.')
  return body
}

/** Anything else may be a stream, whose pictures arrive in pieces. */
const isJson = ([first]: readonly Uint8Array[]): boolean => first?.[0] === 0x7b || first?.[0] === 0x5b

/** Large answers are read by the worker if the exchange allows it, else with placeholders for their pictures. */
async function written(exchange: Exchange, bodies: readonly [Came, ...Came[]], random: RelayParts['random']): Promise<WrittenWhole> {
  const isLarge = bodies.some(({ text }) => text === undefined)
  if (isLarge && exchange.wholeLarge) {
    const encoded = ({ text, pieces }: Came) => (text === undefined || pieces.length > 0 ? pieces : [new TextEncoder().encode(text)])
    return exchange.wholeLarge(bodies.map(encoded))
  }
  const pictures = isLarge ? longPictures(random) : undefined
  const read = async ({ text, pieces }: Came) => text ?? (pictures && isJson(pieces) ? pictures.taken(pieces) : textOf(pieces))
  const [first, ...rest] = bodies
  const texts: string[] = []
  const whole = await read(first)
  for (const body of rest) texts.push(await read(body))
  const answer = await exchange.whole(whole, texts)
  return pictures ? { ...answer, pictures } : answer
}

/** Receives an answer completely, with all answers to its further requests. */
export const wholeReceiver = (random: RelayParts['random']): Receiver<WrittenWhole> => ({
  limits: (candidate) => phaseLimits(candidate.channel.timeouts, wholeAnswerSeconds),
  async receive(answer, exchange, timer, send) {
    try {
      const first = await readBody(answer)
      if (exchange.rest === undefined && first.text !== undefined) return await exchange.whole(first.text, nothing)
      const bodies: [Came, ...Came[]] = [first]
      for (const request of exchange.rest ?? nothing) bodies.push(await readBody(await send(request)))
      return await written(exchange, bodies, random)
    } finally {
      timer.stop()
    }
  },
})

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
  sending: Promise<Received<WrittenWhole>>,
  { parts, arrival, request, hold, settlement }: WholeParts,
): Promise<Reply> {
  try {
    const received = await sending
    const { value, exchange } = received
    // An answer is never withheld because of its losses, not even in strict mode: they are reported.
    const losses = joinLosses(exchange.losses, value.losses)
    const body = value.bytes ? [value.bytes] : (value.pictures?.placed(value.body) ?? value.body)
    const facts = { usage: value.usage, tier: value.tier, served: received, losses, firstAt: parts.clock.monotonic(), streamedMs: 0 }
    const answered = { ...facts, end: value.end, status: 200, error: undefined }
    if (request.ask.begins) {
      const row = settlement.handOver(answered)
      const { candidate } = received
      const begun = await request.ask.begins({ body: value.body, candidate, head: request.head, row, held: hold.amount })
      settlement.leave()
      return { status: 200, contentType: 'application/json', body: begun, losses, left: hold.ticket.left }
    }
    if (request.ask.kept) {
      settlement.foresee(answered)
      await request.ask.kept(body)
    }
    if (request.ask.answered) await remember(parts, request, value.body, value.pictures)
    await settlement.settle(arrival.flight.left() ? { ...facts, end: 'aborted', status: 499, error: clientClosed() } : answered)
    return { status: 200, contentType: value.contentType ?? 'application/json', body, losses, left: hold.ticket.left }
  } catch (thrown) {
    throw await settlement.refuse(thrown)
  }
}
