/**
 * Operations other than generation, in the same eight steps. A candidate of the client's own style gets the client's bytes; for any
 * other the request is written in its style, and its answer is converted back.
 */

import type { Rates } from '#billing/pricing/price'
import type { AnswerEdits, CodecContext, RequestEdits, StateRef, Target } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Incoming, OperationEndpoint, OperationHead, OperationStyle } from '#canonical/operation/operation'
import type { Usage } from '#canonical/usage'
import { operationCodecs } from '#protocols/operations'
import type { Ask, Body, RelayParts } from '#relay/contract/ask'
import type { Exchange, Passage } from '#relay/contract/exchange'
import type { LargeAnswer, LargeBody } from '#relay/contract/large-body'
import type { ExchangeFor, ReadRequest } from '#relay/contract/steps'
import { amongKeepers } from '#relay/conversation/kept-state'
import { affinityScope } from '#relay/conversation/session-affinity'
import { jsonPayload } from '#relay/exchange/json-payload'
import { type LongFiles, longFiles } from '#relay/exchange/long-files'
import { finishOf, refuseLosses } from '#relay/exchange/outgoing'
import { collecting, pieces } from '#relay/exchange/splitters'
import { withPlausibleUsage } from '#relay/exchange/token-estimator'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import type { SideOperation, Style } from '#shared/ids'
import { createSseSplitter } from '#shared/sse'
import { inlineFiles } from './inline-files.ts'
import { joinedAnswer } from './joined-answer.ts'
import { type Converted, largeConverted } from './large-question.ts'
import { idLength, type OperationServices, requestFor, type Sendable } from './upstream-request.ts'

const notServed = () => new GatewayError('unsupported_endpoint', 'No channel of this model can serve this endpoint.', { param: 'model' })

/** An operation in one of its styles. Throws GatewayError when a part that Parley reads is invalid. */
export function openOperation(parts: RelayParts, ask: Ask, body: Body): ReadRequest {
  const { affinity } = parts
  const family = operationCodecs[ask.operation as SideOperation]
  const codec = family[ask.dialect as Style]
  if (!codec || !('readHead' in codec)) throw notServed()
  const { large } = body
  const head = large ? (large.head as OperationHead) : codec.readHead(body.content, ask.path, ask.variant)
  const scope = affinityScope(ask, head.model)
  return {
    ask,
    head,
    most: head.most,
    inOrder: async (candidates) =>
      affinity.prefer(
        scope,
        head.affinity,
        await amongKeepers(
          parts.reasoningState,
          ask.caller.user.id,
          unknown(head.stateRefs, body.known),
          pinned(candidates, body.pinned ?? ask.pinned),
        ),
      ),
    served: (candidate) => affinity.served(scope, head.affinity, candidate),
    exchange: exchangeIn(parts, ask, { codec, family, body: body.content, large, head, lost: body.continued?.losses ?? [] }),
    ...(codec.keepalive && { keepalive: codec.keepalive }),
    writeStreamError: (error) => codec.writeStreamError?.(error),
    ...((large ?? body).release && { release: (large ?? body).release }),
  }
}

/** The state that must be looked up: references that Parley itself inserted are known. */
const unknown = (named: readonly StateRef[] = [], known: readonly StateRef[] = []): readonly StateRef[] =>
  known.length === 0 ? named : named.filter(({ id }) => !known.some((one) => one.id === id))

/** The candidates of one account, if only it has the object in question. Throws `no_channel_available`. */
function pinned(candidates: readonly Candidate[], account: Ask['pinned']): readonly Candidate[] {
  if (!account) return candidates
  const own = candidates.filter(({ channel, key }) => channel.id === account.channel && (key?.id ?? null) === account.key)
  if (own.length === 0 && candidates.length > 0)
    throw new GatewayError('no_channel_available', 'The channel that has it is switched off.', { retryAfter: 5 })
  return own
}

interface Asked {
  codec: OperationEndpoint
  family: Partial<Record<Style, OperationStyle>>
  body: Incoming
  /** Set if the body is in the worker; `body` is then empty. */
  large: LargeBody | undefined
  head: OperationHead
  /** Earlier losses. */
  lost: readonly Loss[]
}

function exchangeIn(parts: RelayParts, ask: Ask, given: Asked): ExchangeFor {
  const { codec, body, large } = given
  const services = { parts, ask }
  let read: { question: unknown } | undefined
  const long = longFiles(parts.random)
  const inline = inlineFiles(parts.fetchMedia, ask.signal, long)
  return async (candidate, rates) => {
    const asked: Asked = { ...given, head: { ...given.head, priced: pricedUnits(rates) } }
    const plausible = (exchange: Exchange) =>
      withPlausibleUsage({ ...exchange, losses: [...given.lost, ...exchange.losses] }, parts.log, ask, candidate, given.head.most)
    try {
      if (candidate.native && fits(asked.head, candidate, codec)) return plausible(await nativeExchange(services, candidate, asked))
      const upstream = candidate.style && asked.family[candidate.style]
      if (!upstream || !('writeQuestion' in upstream)) return notServed()
      const target: Target = { model: candidate.model.upstream, capabilities: candidate.model.capabilities, stream: false }
      if (large) {
        const written = await largeConverted(services, candidate, { large, upstream, target, inline, long, priced: asked.head.priced })
        return plausible(await convertedExchange(services, candidate, asked, written, long))
      }
      read ??= { question: codec.readQuestion(body, ask.path, ask.variant) }
      const files = await inline(upstream.filesWanted?.(read.question, target) ?? [])
      const { question } = read
      const { requests, losses } = upstream.writeQuestion(question, target, files)
      return plausible(await convertedExchange(services, candidate, asked, { upstream, question, losses, requests }, long))
    } catch (thrown) {
      // The request cannot be sent to this candidate. Any other error is Parley's own fault and must not be hidden.
      if (thrown instanceof GatewayError && thrown.blame === 'client') return thrown
      throw thrown
    }
  }
}

const pricedUnits = ({ input, output, audioIn, audioOut, imageIn, imageOut, second, character }: Rates) => ({
  tokens: [input, output, audioIn, audioOut, imageIn, imageOut].some((rate) => rate > 0n),
  seconds: second > 0n,
  characters: character > 0n,
})

/** Whether the client's bytes can be sent as they are: same style, a model that takes this form, and no more inputs than it accepts. */
function fits({ inputs, foreign }: OperationHead, { model }: Candidate, { passesTo }: OperationEndpoint): boolean {
  if (foreign || passesTo?.(model.upstream) === false) return false
  const { maxInputs } = model.capabilities
  return inputs === undefined || maxInputs === undefined || inputs <= maxInputs
}

const splitterOf = (kind: 'events' | 'pieces' | 'whole') => ({ events: () => createSseSplitter(), pieces, whole: collecting })[kind]()

async function nativeExchange(services: OperationServices, candidate: Candidate, asked: Asked): Promise<Exchange> {
  const { codec, body, large, head } = asked
  const { channel, model } = candidate
  const { variant, ownFields } = services.ask
  const renamed = model.upstream !== head.model && !ownFields?.includes('model')
  const edits: RequestEdits = {
    ...(renamed && { model: model.upstream }),
    ...(channel.params.set && { set: channel.params.set }),
    ...((channel.params.remove ?? ownFields) && { remove: [...(channel.params.remove ?? []), ...(ownFields ?? [])] }),
  }
  const answerEdits = renamed ? { model: head.model } : {}
  const { stream } = head
  const { accept } = codec
  const edited = large
    ? jsonPayload(await large.edited(edits, [], finishOf(services.ask.operation, candidate)))
    : codec.editRequest(body, edits)
  const { clock } = services.parts
  const readLarge = largeReader(services, { edits: answerEdits, head })
  return {
    ...(readLarge && { wholeLarge: readLarge }),
    request: requestFor(services, candidate, {
      ...{ body: edited, stream, accept, ...(variant && { variant }) },
      ...(head.address !== undefined && { address: head.address }),
    }),
    upstream: codec,
    losses: [],
    ...passing(codec, head, answerEdits),
    ...(large?.readsAnswers && {
      whole: (text: string) => large.answered([text], { edits: answerEdits, priced: head.priced, now: clock.now() }),
    }),
  }
}

/** Reads answers with thousands of vectors; other answers only have few values. */
function largeReader({ parts, ask }: OperationServices, read: Pick<LargeAnswer, 'edits' | 'head' | 'converted'>): Exchange['wholeLarge'] {
  const { readLarge } = parts
  if (ask.operation !== 'embed' || !readLarge) return undefined
  const wanted: LargeAnswer = { ...read, operation: ask.operation, endpoint: ask.dialect as Style }
  return (answers) => readLarge(answers, wanted, ask.caller.key?.id ?? ask.caller.user.id)
}

/** Forwards the answer of an upstream of the client's own style. */
function passing(
  codec: OperationEndpoint,
  head: OperationHead,
  answerEdits: AnswerEdits,
): Omit<Exchange, 'request' | 'upstream' | 'losses'> {
  return {
    whole: (text) => codec.readWhole(text, answerEdits, head),
    splitter: (type) => splitterOf(codec.framing?.(head, type) ?? 'events'),
    ...(codec.streamType && { contentType: (type: string) => codec.streamType?.(head, type) ?? type }),
    streamsAs: (type) => codec.streamsAs?.(type) ?? !/json|html/i.test(type),
    passage(type) {
      const meter = codec.meter?.(answerEdits, head, type)
      if (!meter) throw new GatewayError('unsupported_value', 'This model does not stream here.', { param: 'stream' })
      return {
        push: (frame) => meter.push(frame),
        close() {
          if (meter.end() !== 'cut') return { out: meter.tail(), meaningful: true, last: true }
          return { out: undefined, meaningful: false, error: new GatewayError('upstream_error', 'The upstream ended its answer early.') }
        },
        usage: () => meter.usage(head.inputBytes),
        finished: () => (meter.end() === 'length' ? 'length' : 'complete'),
        failure: (error) => meter.failure?.(error) ?? codec.writeStreamError?.(error),
      }
    },
  }
}

async function convertedExchange(
  services: OperationServices,
  candidate: Candidate,
  { codec, head }: Asked,
  converted: Converted,
  long: LongFiles,
): Promise<Exchange> {
  const { parts, ask } = services
  const { upstream, question, requests, losses } = converted
  if (ask.strict || candidate.channel.strict) refuseLosses(losses)
  const [first, ...rest] = requests
  // The usage of an answer in several parts is known only when the last part has arrived.
  if (head.stream && rest.length > 0)
    throw new GatewayError('unsupported_value', 'This model does not stream that much.', { param: 'stream' })
  const codecContext: CodecContext = { now: parts.clock.now, id: (prefix) => prefix + parts.random.base62(idLength) }
  const sent = (written: Sendable) => long.placed(requestFor(services, candidate, { ...written, stream: false, accept: upstream.accept }))
  if (upstream.passes) return { request: await sent(first), upstream, losses, ...passing(codec, head, {}) }
  const inStyle = { style: upstream.style, question, now: parts.clock.now() }
  const readLarge = converted.whole ? undefined : largeReader(services, { edits: {}, head, converted: inStyle })
  return {
    ...(readLarge && { wholeLarge: readLarge }),
    request: await sent(first),
    rest: await Promise.all(rest.map(sent)),
    upstream,
    losses,
    whole:
      converted.whole ?? ((body, others) => joinedAnswer({ endpoint: codec, upstream, question, head, codecContext }, [body, ...others])),
    splitter: collecting,
    ...(upstream.madeType &&
      codec.streamType && { contentType: () => codec.streamType?.(head, upstream.madeType?.(question) ?? '') ?? '' }),
    streamsAs: (type) => !/html/i.test(type),
    passage: () => wholePassage(codec, converted, codecContext, head),
  }
}

/** A whole answer of another style, as the stream that the client requested. */
function wholePassage(
  codec: OperationEndpoint,
  { upstream, question }: Converted,
  codecContext: CodecContext,
  head: OperationHead,
): Passage {
  let used: Usage = head.most
  let lost: readonly Loss[] = []
  return {
    losses: () => lost,
    push({ raw }) {
      if (!codec.writeStream) throw new GatewayError('unsupported_value', 'This model does not stream here.', { param: 'stream' })
      const { answer, usage, losses = [] } = upstream.readAnswer([new TextDecoder().decode(raw)], question, head)
      used = usage
      lost = losses
      return { out: codec.writeStream(answer, question, codecContext), meaningful: true, last: true }
    },
    close: () => ({ out: undefined, meaningful: false, error: new GatewayError('upstream_error', 'The upstream answered nothing.') }),
    usage: () => used,
    finished: () => 'complete',
    failure: (error) => codec.writeStreamError?.(error),
  }
}
