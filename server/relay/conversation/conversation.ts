/**
 * Builds the exchange with a candidate. The client's own bytes are forwarded where possible; a conversion is needed if the candidate's
 * dialect differs, if the body contains state that its account did not seal, or if Parley does the upstream's work.
 */
import type { CodecContext, ConversationCodec, Head } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import { compactionCodecs, conversationCodecs } from '#protocols/index'
import { questionOf } from '#reasoning-state/call-names'
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

/** A conversation in one of its dialects. Throws GatewayError when a part that Parley reads is invalid. */
export const openConversation = (parts: RelayParts, ask: Ask, body: Body): ReadRequest => new Conversation(parts, ask, body)

/** A class, because closures would be allocated for every request, though few requests need them. */
class Conversation implements ReadRequest {
  readonly ask: Ask
  head: Head
  readonly keepalive: Uint8Array | undefined
  readonly release?: () => void
  readonly #parts: RelayParts
  readonly #body: Body
  readonly #reading: Reading
  readonly #asked: Asked
  #sessions: readonly string[] | undefined
  #codecContext: CodecContext | undefined
  /** Made for the first candidate that needs it; a file is fetched once for all of them. */
  #withBytes: WithBytes | undefined
  #long: LongFiles | undefined

  constructor(parts: RelayParts, ask: Ask, body: Body) {
    const reading = readingOf(parts.reasoningState, ask, conversationCodecs[ask.dialect as Dialect], body)
    const { codec, head } = reading
    this.ask = ask
    this.head = head
    this.keepalive = codec.keepalive
    if (body.release) this.release = body.release
    this.#parts = parts
    this.#body = body
    this.#reading = reading
    this.#asked = { ask, head }
  }

  inOrder(offered: readonly Candidate[]): readonly Candidate[] | Promise<readonly Candidate[]> {
    return this.#reading.isFree ? this.#ofSession(offered) : this.#ofState(offered)
  }

  served(candidate: Candidate): void {
    const named = this.#named()
    if (named.length > 0) this.#parts.affinity.served(affinityScope(this.ask, candidate.model.name), named, candidate)
  }

  writeStreamError(error: GatewayError): Uint8Array | undefined {
    return this.#reading.codec.writeStreamError(error)
  }

  readonly exchange: ExchangeFor = async (candidate) => {
    const reading = this.#reading
    const { raw } = reading
    const { head, ask } = this.#asked
    const { continued, unresolved } = this.#body
    const state = reading.isFree ? undefined : await reading.keptState()
    const isKeeper = state?.continues(candidate) === true && !mayHoldEnvelope(continued?.content ?? '')
    const passes =
      isKeeper ||
      (candidate.native &&
        !(needsRewriting(candidate) && isOddlySpelled(raw)) &&
        !reading.hasEnvelopes &&
        (reading.isFree || !holdsForeign(candidate, await reading.makers())))
    const byParley = (head.compacts === true || ask.operation === 'compact') && isCompactedByParley(this.#asked, candidate, passes)
    if (passes && !byParley) {
      reading.dropScan()
      const original = isKeeper ? continued?.content : unresolved && raw
      const body = original === undefined ? { raw, losses: continued?.losses, previous: continued?.previous } : { raw, original }
      const exchange = nativeExchange(this.#parts, this.#asked, reading.codec, body, candidate)
      return streamOrWhole(exchange, head.stream, () => this.#nativeForm(candidate))
    }
    try {
      const conversion = await this.#withFiles(await this.#conversionFor(candidate, byParley), candidate)
      const exchange = await convertedExchange(this.#parts, this.#asked, candidate, conversion, this.#long)
      return streamOrWhole(exchange, head.stream, () => exchange)
    } catch (thrown) {
      // The client's request cannot be sent to this candidate; any other error is a bug of ours and is not hidden.
      if (thrown instanceof GatewayError && thrown.blame === 'client') return thrown
      throw thrown
    }
  }

  #named(): readonly string[] {
    this.#sessions ??= sessionNames(this.ask, this.#asked.head)
    return this.#sessions
  }

  #ofSession(candidates: readonly Candidate[]): readonly Candidate[] {
    if (candidates.length < 2 || this.#named().length === 0) return candidates
    const scope = affinityScope(this.ask, candidates[0]?.model.name ?? this.#asked.head.model)
    return this.#parts.affinity.prefer(scope, this.#named(), candidates)
  }

  async #ofState(offered: readonly Candidate[]): Promise<readonly Candidate[]> {
    const reading = this.#reading
    const state = await reading.keptState()
    const kept = this.#ofSession(state ? state.among(offered, offered[0]?.model.name === reading.head.model) : offered)
    const makers = await reading.makers()
    const ordered = makers.size === 0 ? kept : makersFirst(kept, makers)
    return state?.keeperFirst(ordered) ?? ordered
  }

  get #tenant(): string {
    return this.ask.caller.user.id
  }

  #context(): CodecContext {
    const { clock, random } = this.#parts
    this.#codecContext ??= { now: clock.now, id: (prefix) => prefix + random.base62(idLength) }
    return this.#codecContext
  }

  async #conversionFor(candidate: Candidate, byParley: boolean): Promise<Conversion> {
    const reading = this.#reading
    const { codec, raw } = reading
    const { reasoningState, log } = this.#parts
    const read = await reading.request()
    const { request, lost } = reading.mayBeBound ? portable(read, candidate, await reading.makers()) : { request: read, lost: [] }
    const { channel } = candidate
    const codecContext = this.#context()
    // The answer names the model that made it, by its public name.
    const named = { ...request, model: candidate.model.name }
    const conversion = {
      client: codec,
      upstream: codecFor(candidate),
      request: named,
      codecContext,
      reasoningState,
      tenant: this.#tenant,
      maker: channel.id,
      inputBytes: reading.head.inputBytes,
      lost: [...lost, ...(this.#body.continued?.losses ?? [])],
      question: () => questionOf(read),
      estimator: (addedBytes?: number) => estimatorOf(log, this.#asked, raw, candidate, addedBytes),
    }
    const compaction = byParley ? compactionCodecs[codec.dialect] : undefined
    if (!compaction) return conversion
    // At the compaction endpoint the answer begins with the messages that were sent.
    const isEndpoint = this.ask.operation === 'compact'
    return compactingConversion(conversion, compactingRequest(named, compaction), {
      codec: compaction,
      seal: (words) => reasoningState.sealWords(this.#tenant, words),
      withMessages: isEndpoint ? (answer) => compaction.withMessages(raw, answer, codecContext) : undefined,
    })
  }

  /** The client's own bytes were sent: the request is parsed only now, because the answer must be converted. */
  #nativeForm(candidate: Candidate): Form {
    const { codec, raw, head } = this.#reading
    const { model, channel } = candidate
    const read = readAgain(codec, raw, this.ask.path)
    const request = { ...read, model: model.name }
    const sides = { client: codec, upstream: codec, request, maker: channel.id }
    const conversion = {
      ...sides,
      codecContext: this.#context(),
      reasoningState: this.#parts.reasoningState,
      tenant: this.#tenant,
      inputBytes: head.inputBytes,
      lost: [],
      question: () => questionOf(read),
      estimator: () => estimatorOf(this.#parts.log, this.#asked, raw, candidate),
    }
    return { conversion, memo: { toolNames: {}, wrappedTools: [] } }
  }

  /** Files that this upstream does not fetch by URL are sent as bytes. */
  async #withFiles(conversion: Conversion, candidate: Candidate): Promise<Conversion> {
    if (!mediaOf(conversion.request).some(({ source }) => 'url' in source)) return conversion
    const target = targetOf(this.#asked.head, candidate)
    this.#long ??= longFiles(this.#parts.random)
    this.#withBytes ??= remoteMedia(this.#parts.fetchMedia, this.ask.signal, this.#long)
    const { request, losses } = await this.#withBytes(conversion.request, (part) => conversion.upstream.needsBytes(part, target))
    return { ...conversion, request, lost: [...conversion.lost, ...losses] }
  }
}

/** Whether Parley compacts for this upstream; its own endpoint would only take the client's bytes. */
export function isCompactedByParley({ ask, head }: Asked, { native, channel }: Candidate, passes: boolean): boolean {
  const isEndpoint = ask.operation === 'compact'
  if (head.compacts !== true && !isEndpoint) return false
  return !(native && channel.operations.includes('compact') && (passes || !isEndpoint))
}

/** Whether odd spellings must be rewritten for this upstream. */
export const needsRewriting = ({ dialect, model }: Candidate): boolean => dialect === 'chat' && model.capabilities.shortCallIds === true

/** An upstream may accept a body that Parley cannot read: then its answer cannot be converted to the other form. */
function readAgain(codec: ConversationCodec, raw: string, path: string | undefined): ConversationRequest {
  try {
    return codec.readRequest(raw, path)
  } catch (thrown) {
    throw new GatewayError('upstream_error', 'The upstream did not answer in the requested form.', { cause: thrown })
  }
}
