/**
 * Handles an upstream that returns a whole answer instead of a stream, or a stream instead of a whole answer: a complete answer is
 * converted into the requested form, with the usage that it reports; an incomplete one is an error, as everywhere.
 */
import type { Memo, ReadResponse, StreamReader } from '#canonical/codec'
import type { ConversationResponse } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { eventsOfResponse, gathered } from '#canonical/response-events'
import type { Exchange } from '#relay/contract/exchange'
import { collecting } from '#relay/exchange/splitters'
import { GatewayError } from '#shared/errors'
import type { Conversion } from './conversion.ts'
import { givenWhole, streamReader, wholeResponse } from './converted.ts'
import { ConvertedPassage } from './converted-passage.ts'

/** The conversion of this exchange, or the one it would need if the answer had to be parsed. */
export interface Form {
  conversion: Conversion
  memo: Memo
}

const isWhole = (type: string) => /^application\/json\b/i.test(type)

/** The first line of an event stream; no JSON begins like it. */
const isStream = (body: string) => /^\uFEFF?(?:data|event|id|retry)?:/.test(body)

const noEnd = () => new GatewayError('upstream_error', 'The upstream ended its answer early.')

/** `form` is called only when an answer does not have the requested form. */
export const streamOrWhole = (exchange: Exchange, wasStream: boolean, form: () => Form): Exchange =>
  wasStream ? takingWhole(exchange, form) : takingStream(exchange, form)

const takingWhole = (exchange: Exchange, form: () => Form): Exchange => ({
  ...exchange,
  streamsAs: (type) => isWhole(type) || (exchange.streamsAs?.(type) ?? !/json|html/i.test(type)),
  contentType: (type) => (isWhole(type) ? undefined : exchange.contentType?.(type)) ?? 'text/event-stream; charset=utf-8',
  splitter: (type) => (isWhole(type) ? collecting() : exchange.splitter(type)),
  passage(type) {
    if (!isWhole(type)) return exchange.passage(type)
    const { conversion, memo } = form()
    return new ConvertedPassage(conversion, readerOfWhole(conversion, memo))
  },
})

const takingStream = (exchange: Exchange, form: () => Form): Exchange => ({
  ...exchange,
  whole(body, rest) {
    if (!isStream(body)) return exchange.whole(body, rest)
    const { conversion, memo } = form()
    return givenWhole(conversion, answerIn(body, exchange, conversion, memo))
  },
})

/** Takes a whole answer as one frame and returns the events of its stream. Throws what `readResponse` throws. */
function readerOfWhole(conversion: Conversion, memo: Memo): StreamReader {
  let answer: ReadResponse | undefined
  return {
    push({ raw }) {
      answer = wholeResponse(conversion, memo, new TextDecoder().decode(raw))
      return eventsOfResponse(answer)
    },
    end: () => [{ kind: 'error', error: noEnd() }],
    losses: () => answer?.losses ?? [],
  }
}

/** Throws GatewayError when the stream reports an error or is not complete. */
function answerIn(body: string, exchange: Exchange, conversion: Conversion, memo: Memo): ConversationResponse {
  const reader = streamReader(conversion, memo)
  const splitter = exchange.splitter('text/event-stream')
  const frames = [...splitter.push(new TextEncoder().encode(body)), ...splitter.end()]
  const events: ConversationEvent[] = [...frames.flatMap((frame) => reader.push(frame)), ...reader.end(undefined)]
  const failed = events.find((event) => event.kind === 'error')
  if (failed) throw failed.error
  if (!events.some(({ kind }) => kind === 'end')) throw noEnd()
  return gathered(events)
}
