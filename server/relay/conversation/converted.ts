/**
 * A candidate of another dialect: the client's request is read once into the canonical conversation and written for this
 * upstream; its answer is read back and written in the client's dialect. What the request loses is known when it is written; in
 * strict mode a loss of meaning means that this candidate cannot say the request. What the answer loses is told, never refused.
 */
import type {
  CodecContext,
  ConversationCodec,
  FrameVerdict,
  Head,
  Memo,
  ReadResponse,
  StreamReader,
  Target,
  WholeAnswer,
} from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import { eventMeter } from '#canonical/event-meter'
import { joinLosses, type Loss } from '#canonical/loss'
import { eventsOfResponse } from '#canonical/response-events'
import { cutReader, cutResponse } from '#canonical/stop-sequences'
import type { Scale, TokenEstimator } from '#canonical/token-estimator'
import { conversationCodecs, converseCodec } from '#protocols/index'
import type { ReasoningState } from '#reasoning-state/reasoning-state'
import type { RelayParts } from '#relay/contract/ask'
import type { Exchange, Passage } from '#relay/contract/exchange'
import type { Asked } from '#relay/contract/steps'
import type { LongFiles } from '#relay/exchange/long-files'
import { outgoing, refusable, splitterOf, type WrittenBody, writtenBody } from '#relay/exchange/outgoing'
import { roughlyAs } from '#relay/exchange/token-estimator'
import type { Candidate } from '#routing/order'
import type { Payload } from '#upstream/upstream'
import { alikeTexts } from './alike-texts.ts'
import { askedFor } from './asked-for.ts'

/** How this candidate is asked, and its answers are read: by the codec of its dialect, unless its vendor has another one for this model. */
export const codecFor = ({ channel, model, dialect }: Candidate): ConversationCodec =>
  channel.vendor.converses?.(model.upstream) ? converseCodec : conversationCodecs[dialect]

/** One conversion: its two sides, and what reading and writing across them needs. */
export interface Conversion {
  client: ConversationCodec
  upstream: ConversationCodec
  request: ConversationRequest
  codecContext: CodecContext
  reasoningState: ReasoningState
  /** Whose reasoning state is kept: the id of the calling user. */
  tenant: string
  /** The upstream's channel: what its account seals comes back to it. */
  maker: string
  /** Of the body as the client sent it. */
  inputBytes: number
  /** What was left behind before the request is written. */
  lost: readonly Loss[]
  /** Counts what the upstream does not report; made when it answers. `addedBytes` are what Parley put into the request. */
  estimator(addedBytes?: number): TokenEstimator
}

/** What of an event the client hears at once: how much was used it is told at the end, as it is charged. */
function heardAtOnce(event: ConversationEvent, { isPlausible }: TokenEstimator): ConversationEvent | undefined {
  if (event.kind === 'usage') return undefined
  if (event.kind !== 'start' || !event.usage || isPlausible?.(event.usage) !== false) return event
  const { usage: _, ...start } = event
  return start
}

/** What reads a stream of this upstream; the answer ends at the stop sequences that the upstream was not told. */
export function streamReader({ upstream, codecContext }: Conversion, memo: Memo): StreamReader {
  const reader = upstream.reader(memo, codecContext)
  return memo.stopHere && memo.stopHere.length > 0 ? cutReader(reader, memo.stopHere) : reader
}

/** A whole answer, likewise. Throws what `readResponse` throws. */
export function wholeResponse({ upstream, codecContext }: Conversion, memo: Memo, body: string): ReadResponse {
  const response = upstream.readResponse(body, memo, codecContext)
  return memo.stopHere && memo.stopHere.length > 0 ? cutResponse(response, memo.stopHere) : response
}

/** Events on their way from one dialect's frames to another's bytes. */
export function convertedPassage(conversion: Conversion, reader: StreamReader): Passage {
  const { client, request, codecContext, reasoningState, tenant, maker, inputBytes } = conversion
  const estimator = conversion.estimator()
  const writer = client.writer(request, codecContext)
  const seen = reasoningState.recorder(tenant, maker)
  const carryOut = reasoningState.sealingStream(tenant, client.dialect)
  const given = askedFor(request, conversion.upstream.dialect)
  let heardBytes = 0
  const meter = eventMeter({
    hear(text, bytes) {
      heardBytes += bytes
      estimator.hear(text, bytes)
    },
  })
  const rough = roughlyAs(estimator)
  let hitLimit = false
  let tier: string | undefined

  const isShown = (event: ConversationEvent) => given.event(event) !== undefined
  const alike = alikeTexts({ reader, upstream: conversion.upstream, writer, meter, seen, isShown })

  const used = (scale: Scale) => meter.used(inputBytes, scale)

  function means(event: ConversationEvent): boolean {
    switch (event.kind) {
      case 'open':
        return event.part.kind === 'call' || event.part.kind === 'native'
      case 'finish':
        hitLimit ||= event.finish.reason === 'length' || event.finish.reason === 'context-full'
        return true
      case 'delta':
      case 'end':
        return true
      case 'start':
      case 'usage':
      case 'close':
      case 'error':
        return false
    }
  }

  function pass(events: readonly ConversationEvent[]): FrameVerdict {
    const out: Uint8Array[] = []
    let meaningful = false
    meter.hear(events)
    for (const read of events) {
      const error = read.kind === 'error' ? read.error : read.kind === 'finish' ? given.failure(read.finish) : undefined
      if (error) return { out: Buffer.concat(out), meaningful, error }
      meaningful = means(read) || meaningful
      const event = heardAtOnce(read, estimator)
      if (!event) continue
      seen(event)
      if (event.kind === 'end') {
        tier = event.tier
        tellUsage()
      }
      const shown = given.event(event)
      for (const carried of shown ? carryOut(shown) : []) out.push(writer.push(carried))
      if (event.kind === 'end') return { out: Buffer.concat(out), meaningful: true, last: true }
    }
    const bytes = out.length === 1 ? out[0] : Buffer.concat(out)
    return { out: bytes && bytes.byteLength > 0 ? bytes : undefined, meaningful }
  }

  /** The client is told what is charged. Figures have no bytes of their own: they stand in what follows. */
  function tellUsage(): void {
    writer.push({ kind: 'usage', usage: used(estimator) })
  }

  return {
    push(frame) {
      const out = alike.take(frame)
      if (out) return { out, meaningful: true }
      const events = reader.push(frame)
      const verdict = pass(events)
      alike.learn(frame, events)
      return verdict
    },
    pass: alike.pass,
    close: () => pass(reader.end(undefined)),
    usage: () => used(rough),
    counted: () => used(estimator),
    heard: () => heardBytes,
    tier: () => tier,
    saysItsEnd: true,
    finished: () => (hitLimit ? 'length' : 'complete'),
    losses: () => joinLosses(reader.losses?.(), writer.losses()),
    failure(error) {
      tellUsage()
      return writer.push({ kind: 'error', error })
    },
  }
}

/** An answer that was read, written for the client. */
export function givenWhole(conversion: Conversion, response: ReadResponse): WholeAnswer {
  const { client, request, codecContext, reasoningState, tenant, maker, inputBytes } = conversion
  const estimator = conversion.estimator()
  const given = askedFor(request, conversion.upstream.dialect)
  given.checked(response.choices)
  for (const choice of response.choices) reasoningState.remember(tenant, choice.parts, maker)
  const choices = response.choices.map((choice) => ({
    ...choice,
    parts: reasoningState.sealParts(tenant, client.dialect, given.parts(choice.parts)),
  }))
  // The client is told what is charged.
  const meter = eventMeter(estimator)
  meter.hear(eventsOfResponse(response))
  const usage = meter.used(inputBytes, estimator)
  const written = client.writeResponse({ ...response, choices, usage }, request, codecContext)
  const cut = response.choices.some((choice) => choice.finish.reason === 'length' || choice.finish.reason === 'context-full')
  const losses = joinLosses(response.losses, written.losses)
  const { tier } = response
  return { ...(tier !== undefined && { tier }), body: written.body, usage, end: cut ? ('length' as const) : ('complete' as const), losses }
}

/** What the upstream's codec must know of this candidate. */
export function targetOf(head: Head, { model }: Candidate): Target {
  return { model: model.upstream, capabilities: model.capabilities, stream: head.stream }
}

/** With what must be remembered to read the answer. */
export interface ConvertedExchange extends Exchange {
  memo: Memo
  /** As it was asked for, with the usage that is plausible for the body as it was written. */
  conversion: Conversion
}

/** `long`: the files that are marked in the request, if there are any. Rejects with GatewayError `unsupported_value` when this candidate cannot say it. */
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

/** A request that is ready to be sent; its conversion needs nothing of what was said any more. */
export interface ReadyBody extends Omit<WrittenBody, 'body'> {
  body: string | Payload
  bytes: number
}

/** The exchange with a candidate whose request is written already. */
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
    passage: () => convertedPassage(conversion, streamReader(conversion, memo)),
  }
}
