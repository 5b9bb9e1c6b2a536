/**
 * A candidate of another dialect: the client's request is read once into the canonical conversation and written for this upstream; its
 * answer is read back and written in the client's dialect. What the request loses is known when it is written; in strict mode a loss of
 * meaning rules the candidate out. Losses of the answer are reported, never refused.
 */
import type { ConversationCodec, Head, Memo, ReadResponse, StreamReader, Target, WholeAnswer } from '#canonical/codec'
import { eventMeter } from '#canonical/event-meter'
import { joinLosses } from '#canonical/loss'
import { eventsOfResponse } from '#canonical/response-events'
import { cutReader, cutResponse } from '#canonical/stop-sequences'
import { conversationCodecs, converseCodec } from '#protocols/index'
import type { RelayParts } from '#relay/contract/ask'
import type { Exchange } from '#relay/contract/exchange'
import type { Asked } from '#relay/contract/steps'
import type { LongFiles } from '#relay/exchange/long-files'
import { outgoing, refusable, splitterOf, type WrittenBody, writtenBody } from '#relay/exchange/outgoing'
import type { Candidate } from '#routing/order'
import type { Payload } from '#upstream/upstream'
import { askedFor } from './asked-for.ts'
import type { Conversion } from './conversion.ts'
import { ConvertedPassage } from './converted-passage.ts'

/** The codec for this candidate: that of its dialect, unless its vendor has another one for this model. */
export const codecFor = ({ channel, model, dialect }: Candidate): ConversationCodec =>
  channel.vendor.converses?.(model.upstream) ? converseCodec : conversationCodecs[dialect]

/** A reader for a stream of this upstream; it ends the answer at stop sequences that the upstream was not sent. */
export function streamReader({ upstream, codecContext }: Conversion, memo: Memo): StreamReader {
  const reader = upstream.reader(memo, codecContext)
  return memo.stopHere && memo.stopHere.length > 0 ? cutReader(reader, memo.stopHere) : reader
}

/** A whole answer, likewise. Throws what `readResponse` throws. */
export function wholeResponse({ upstream, codecContext }: Conversion, memo: Memo, body: string): ReadResponse {
  const response = upstream.readResponse(body, memo, codecContext)
  return memo.stopHere && memo.stopHere.length > 0 ? cutResponse(response, memo.stopHere) : response
}

/** A parsed answer, written for the client. */
export function givenWhole(conversion: Conversion, response: ReadResponse): WholeAnswer {
  const { client, request, codecContext, reasoningState, tenant, maker, inputBytes, question } = conversion
  const estimator = conversion.estimator()
  const given = askedFor(request, conversion.upstream.dialect)
  given.checked(response.choices)
  for (const choice of response.choices) reasoningState.remember(tenant, choice.parts, maker, question)
  const choices = response.choices.map((choice) => ({
    ...choice,
    parts: reasoningState.sealParts(tenant, client.dialect, given.parts(choice.parts)),
  }))
  // The client gets the usage that is charged.
  const meter = eventMeter(estimator)
  meter.add(eventsOfResponse(response))
  const usage = meter.used(inputBytes, estimator)
  const written = client.writeResponse({ ...response, choices, usage }, request, codecContext)
  const cut = response.choices.some((choice) => choice.finish.reason === 'length' || choice.finish.reason === 'context-full')
  const losses = joinLosses(response.losses, written.losses)
  const { tier } = response
  return { ...(tier !== undefined && { tier }), body: written.body, usage, end: cut ? ('length' as const) : ('complete' as const), losses }
}

/** What the upstream's codec needs to know about this candidate. */
export function targetOf(head: Head, { model }: Candidate): Target {
  return { model: model.upstream, capabilities: model.capabilities, stream: head.stream }
}

/** Includes the memo that is needed to read the answer. */
export interface ConvertedExchange extends Exchange {
  memo: Memo
  /** The conversion, with plausible usage judged by the body as it was written. */
  conversion: Conversion
}

/**
 * `long`: files for which the request has placeholders, if any. Rejects with GatewayError `unsupported_value` when this candidate's dialect
 * cannot express the request.
 */
export async function convertedExchange(
  parts: RelayParts,
  asked: Asked,
  candidate: Candidate,
  planned: Conversion,
  long: LongFiles | undefined,
): Promise<ConvertedExchange> {
  const { ask, head } = asked
  const { channel } = candidate
  const written = writtenBody(planned.upstream, planned.request, {
    target: targetOf(head, candidate),
    channel,
    refuses: refusable(candidate),
    strict: ask.strict || channel.strict,
    lost: planned.lost,
  })
  const bytes = long ? long.lengthOf(written.body) : Buffer.byteLength(written.body)
  const exchange = writtenExchange(parts, asked, candidate, planned, { ...written, bytes })
  return long ? { ...exchange, request: await long.placed(exchange.request) } : exchange
}

/** A request that is ready to be sent; its conversion no longer needs the turns. */
export interface ReadyBody extends Omit<WrittenBody, 'body'> {
  body: string | Payload
  bytes: number
}

/** The exchange with a candidate whose request is already written. */
export function writtenExchange(
  parts: RelayParts,
  { head }: Asked,
  candidate: Candidate,
  planned: Conversion,
  { body, bytes, headers, losses, memo }: ReadyBody,
): ConvertedExchange {
  // With restored state and fetched files it is longer than what the client sent.
  const conversion = { ...planned, estimator: () => planned.estimator(bytes) }
  return {
    request: outgoing({ operation: 'generate', stream: head.stream, version: parts.version }, candidate, body, headers),
    upstream: planned.upstream,
    losses,
    whole: (text) => givenWhole(conversion, wholeResponse(conversion, memo, text)),
    memo,
    conversion,
    splitter: () => splitterOf(candidate),
    passage: () => new ConvertedPassage(conversion, streamReader(conversion, memo)),
  }
}
