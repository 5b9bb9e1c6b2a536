/**
 * How a candidate is spoken to. The client's own bytes pass where they can; a conversion is needed where the candidate's dialect
 * differs, where the text carries state that its account did not seal, and where Parley does the upstream's work.
 */
import type { CodecContext, ConversationCodec } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import { compactionCodecs, conversationCodecs } from '#protocols/index'
import { mayHoldEnvelope } from '#reasoning-state/envelope'
import type { Ask, Body, RelayParts } from '#relay/contract/ask'
import type { Asked, ExchangeFor, ReadRequest } from '#relay/contract/steps'
import { type LongFiles, longFiles } from '#relay/exchange/long-files'
import { estimatorOf } from '#relay/exchange/token-estimator'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'
import { holdsForeign, makersFirst, portable } from './account-bound.ts'
import { compactingConversion, compactingRequest } from './compaction.ts'
import type { Conversion } from './conversion.ts'
import { codecFor, convertedExchange, targetOf } from './converted.ts'
import { nativeExchange } from './native.ts'
import { isOddlySpelled } from './odd-spelling.ts'
import { mediaOf, type Reading, readingOf } from './reading.ts'
import { remoteMedia, type WithBytes } from './remote-media.ts'
import { affinityScope, sessionNames } from './session-affinity.ts'
import { type Form, streamOrWhole } from './stream-or-whole.ts'

/** Characters of base62 in an id that Parley makes. */
const idLength = 24

/** A conversation in one of its dialects. Throws GatewayError for what Parley itself reads. */
export function openConversation(parts: RelayParts, ask: Ask, body: Body): ReadRequest {
  const codec = conversationCodecs[ask.dialect as Dialect]
  const reading = readingOf(parts.reasoningState, ask, codec, body)
  const { affinity } = parts
  let names: string[] | undefined
  const sessions = () => (names ??= sessionNames(ask, reading.head))
  const scopeFor = (candidates: readonly Candidate[]) => affinityScope(ask, candidates[0]?.model.name ?? reading.head.model)
  const ofSession = (candidates: readonly Candidate[]) =>
    candidates.length > 1 && sessions().length > 0 ? affinity.prefer(scopeFor(candidates), sessions(), candidates) : candidates

  async function ofState(offered: readonly Candidate[]): Promise<readonly Candidate[]> {
    const state = await reading.keptState()
    const kept = ofSession(state ? state.among(offered, offered[0]?.model.name === reading.head.model) : offered)
    const makers = await reading.makers()
    const ordered = makers.size === 0 ? kept : makersFirst(kept, makers)
    return state?.keeperFirst(ordered) ?? ordered
  }

  return {
    ask,
    head: reading.head,
    inOrder: (offered) => (reading.isFree ? ofSession(offered) : ofState(offered)),
    served: (candidate) => affinity.served(scopeFor([candidate]), sessions(), candidate),
    exchange: exchangeIn(parts, { ask, head: reading.head }, reading, body),
    keepalive: codec.keepalive,
    writeStreamError: (error) => codec.writeStreamError(error),
    ...(body.release && { release: body.release }),
  }
}

function exchangeIn(parts: RelayParts, asked: Asked, reading: Reading, { continued, unresolved }: Body): ExchangeFor {
  const { ask, head } = asked
  const { codec, raw } = reading
  const tenant = ask.caller.user.id
  const codecContext: CodecContext = { now: parts.clock.now, id: (prefix) => prefix + parts.random.base62(idLength) }
  /** The body, at the endpoint that answers nothing but compactions. */
  const compactBody = ask.operation === 'compact' ? raw : undefined
  /** Made for the first candidate that needs it; a file is fetched once for all of them. */
  let withBytes: WithBytes | undefined
  let long: LongFiles | undefined

  async function conversionFor(candidate: Candidate, byParley: boolean): Promise<Conversion> {
    const read = await reading.request()
    const { request, lost } = reading.mayBeBound ? portable(read, candidate, await reading.makers()) : { request: read, lost: [] }
    const { channel } = candidate
    // The answer names the model that gave it, as callers know it.
    const named = { ...request, model: candidate.model.name }
    const conversion = {
      client: codec,
      upstream: codecFor(candidate),
      request: named,
      codecContext,
      reasoningState: parts.reasoningState,
      tenant,
      maker: channel.id,
      inputBytes: head.inputBytes,
      lost: [...lost, ...(continued?.losses ?? [])],
      estimator: (addedBytes?: number) => estimatorOf(parts.log, asked, raw, candidate, addedBytes),
    }
    const compaction = byParley ? compactionCodecs[codec.dialect] : undefined
    if (!compaction) return conversion
    return compactingConversion(conversion, compactingRequest(named, compaction), {
      codec: compaction,
      seal: (words) => parts.reasoningState.sealWords(tenant, words),
      withMessages: compactBody === undefined ? undefined : (answer) => compaction.withMessages(compactBody, answer, codecContext),
    })
  }

  /** The client's own bytes went out: read only now, because the answer has to be. */
  function nativeForm(candidate: Candidate): Form {
    const { model, channel } = candidate
    const request = { ...readAgain(codec, raw, ask.path), model: model.name }
    const sides = { client: codec, upstream: codec, request, maker: channel.id }
    const conversion = {
      ...sides,
      codecContext,
      reasoningState: parts.reasoningState,
      tenant,
      inputBytes: head.inputBytes,
      lost: [],
      estimator: () => estimatorOf(parts.log, asked, raw, candidate),
    }
    return { conversion, memo: { toolNames: {}, wrappedTools: [] } }
  }

  /** Files that this upstream does not open by their addresses go out as bytes. */
  async function withFiles(conversion: Conversion, candidate: Candidate): Promise<Conversion> {
    if (!mediaOf(conversion.request).some(({ source }) => 'url' in source)) return conversion
    const target = targetOf(head, candidate)
    long ??= longFiles(parts.random)
    withBytes ??= remoteMedia(parts.fetchMedia, ask.signal, long)
    const { request, losses } = await withBytes(conversion.request, (part) => conversion.upstream.needsBytes(part, target))
    return { ...conversion, request, lost: [...conversion.lost, ...losses] }
  }

  return async (candidate) => {
    const state = reading.isFree ? undefined : await reading.keptState()
    const isKeeper = state?.continues(candidate) === true && !mayHoldEnvelope(continued?.content ?? '')
    const passes =
      isKeeper ||
      (candidate.native &&
        !needsRewriting(candidate, () => isOddlySpelled(raw)) &&
        !reading.hasEnvelopes &&
        (reading.isFree || !holdsForeign(candidate, await reading.makers())))
    const byParley = (head.compacts === true || asked.ask.operation === 'compact') && isCompactedByParley(asked, candidate, passes)
    if (passes && !byParley) {
      reading.letGo()
      const original = isKeeper ? continued?.content : unresolved && raw
      const body = original === undefined ? { raw, losses: continued?.losses ?? [], previous: continued?.previous } : { raw, original }
      return streamOrWhole(nativeExchange(parts, asked, codec, body, candidate), () => nativeForm(candidate))
    }
    try {
      const conversion = await withFiles(await conversionFor(candidate, byParley), candidate)
      const exchange = await convertedExchange(parts, asked, candidate, conversion, long)
      return streamOrWhole(exchange, () => exchange)
    } catch (thrown) {
      // The client's request cannot be sent to this candidate; anything else is a fault of ours and is not hidden.
      if (thrown instanceof GatewayError && thrown.blame === 'client') return thrown
      throw thrown
    }
  }
}

/** Whether Parley compacts for this upstream, whose endpoint takes the client's bytes or nothing. */
export function isCompactedByParley({ ask, head }: Asked, { native, channel }: Candidate, passes: boolean): boolean {
  const isEndpoint = ask.operation === 'compact'
  if (head.compacts !== true && !isEndpoint) return false
  return !(native && channel.operations.includes('compact') && (passes || !isEndpoint))
}

/** What this upstream spells in another way than the client's bytes may. */
export const needsRewriting = ({ dialect, model }: Candidate, isOdd: () => boolean): boolean =>
  dialect === 'chat' && model.capabilities.shortCallIds === true && isOdd()

/** An upstream may take a body that Parley cannot read: then its answer cannot be converted to the other form. */
function readAgain(codec: ConversationCodec, raw: string, path: string | undefined): ConversationRequest {
  try {
    return codec.readRequest(raw, path)
  } catch (thrown) {
    throw new GatewayError('upstream_error', 'The upstream answered in another form than was asked for.', { cause: thrown })
  }
}
