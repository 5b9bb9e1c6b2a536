/**
 * A conversation in a large body. The same rules as for any other; what was said stays in the worker, and what comes back is bytes for one
 * candidate. Compaction by Parley, which is rare, reads the text here.
 */
import type { CodecContext, ConversationCodec } from '#canonical/codec'
import type { ConversationRequest, Opaque } from '#canonical/conversation'
import { conversationCodecs } from '#protocols/index'
import type { Ask, Body, RelayParts } from '#relay/contract/ask'
import type { LargeBody, LargeConversion, LargeConverted, OpenedStates } from '#relay/contract/large-body'
import type { Asked, ExchangeFor, ReadRequest } from '#relay/contract/steps'
import { holdsForeign, makersFirst } from '#relay/conversation/account-bound'
import { needsRewriting, openConversation } from '#relay/conversation/conversation'
import { targetOf, writtenExchange } from '#relay/conversation/converted'
import { type KeptState, keptState } from '#relay/conversation/kept-state'
import { editedExchange, requestEdits } from '#relay/conversation/native'
import type { Makers } from '#relay/conversation/reading'
import { filesAt } from '#relay/conversation/remote-media'
import { affinityScope, sessionNames } from '#relay/conversation/session-affinity'
import { type Form, streamOrWhole } from '#relay/conversation/stream-or-whole'
import { clientClosed } from '#relay/exchange/ended'
import { jsonPayload } from '#relay/exchange/json-payload'
import { needsText, refusable, refusedLosses } from '#relay/exchange/outgoing'
import { estimatorOf } from '#relay/exchange/token-estimator'
import type { Candidate } from '#routing/order'
import { nextTurn } from '#runtime/turns'
import { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'

const idLength = 24
/** Sealed states that are opened before others have their turn. */
const statesAtOnce = 64

/** A conversation that the worker has read. Throws nothing. */
export function openLargeConversation(parts: RelayParts, ask: Ask, body: Body, large: LargeBody): ReadRequest {
  const codec = conversationCodecs[ask.dialect as Dialect]
  const { head } = large
  const { affinity, reasoningState } = parts
  const tenant = ask.caller.user.id
  const names = sessionNames(ask, head)
  const scopeFor = (candidates: readonly Candidate[]) => affinityScope(ask, candidates[0]?.model.name ?? head.model)
  const reading = readingOf(parts, tenant, large)
  const refs = head.stateRefs ?? []
  let kept: ReturnType<typeof keptState> | undefined
  const known = body.known ?? []
  const keptOnce = () => {
    if (refs.length + known.length > 0) kept ??= keptState(reasoningState, tenant, refs, known, body.unresolved)
    return kept
  }

  return {
    ask,
    head,
    async inOrder(offered) {
      const state = await keptOnce()
      const candidates = state ? state.among(offered, offered[0]?.model.name === head.model) : offered
      const preferred = candidates.length > 1 && names.length > 0 ? affinity.prefer(scopeFor(candidates), names, candidates) : candidates
      const makers = await reading.makers()
      const ordered = makers.size === 0 ? preferred : makersFirst(preferred, makers)
      return state?.keeperFirst(ordered) ?? ordered
    },
    served: (candidate) => affinity.served(scopeFor([candidate]), names, candidate),
    exchange: exchangeIn(parts, { ask, head }, { codec, large, reading, body, kept: keptOnce }),
    keepalive: codec.keepalive,
    writeStreamError: (error) => codec.writeStreamError(error),
    release: large.release,
  }
}

interface LargeReading {
  /** Never rejects. */
  makers(): Promise<Makers>
  /** Rejects with GatewayError for what cannot be read. */
  opened(): Promise<OpenedStates>
}

function readingOf({ reasoningState }: RelayParts, tenant: string, large: LargeBody): LargeReading {
  let makers: Promise<Makers> | undefined
  let opened: Promise<OpenedStates> | undefined
  const noStates: OpenedStates = new Map()
  const sealed = large.head.sealed ?? []
  let inBody: Promise<readonly Opaque[]> | undefined
  const statesInBody = () => (inBody ??= large.states())

  async function open(): Promise<OpenedStates> {
    if (!large.hasEnvelopes) return noStates
    const theirs = await reasoningState.makersOf(tenant, sealed)
    const inside = new Map<string, Opaque | null>()
    let done = 0
    for (const state of await statesInBody()) {
      if (theirs.has(state.value) || inside.has(state.value)) continue
      const found = reasoningState.unseal(tenant, state)
      if (found !== state) inside.set(state.value, found ?? null)
      if (++done % statesAtOnce === 0) await nextTurn()
    }
    return inside
  }
  const openOnce = () => (opened ??= open())

  /** A body that cannot be read is refused later, if it has to be converted. */
  async function states(): Promise<readonly Opaque[]> {
    if (!large.hasEnvelopes) return sealed
    try {
      const inside = await openOnce()
      return (await statesInBody()).flatMap((state) => {
        const found = inside.get(state.value)
        return found === undefined ? [state] : found === null ? [] : [found]
      })
    } catch (thrown) {
      if (thrown instanceof GatewayError && thrown.blame === 'client') return []
      throw thrown
    }
  }

  async function find(): Promise<Makers> {
    const found = await states()
    return found.length === 0 ? new Map() : reasoningState.makersOf(tenant, found)
  }
  return { makers: () => (makers ??= find()), opened: openOnce }
}

interface LargeAsked {
  codec: ConversationCodec
  large: LargeBody
  reading: LargeReading
  body: Body
  kept(): Promise<KeptState> | undefined
}

function exchangeIn(parts: RelayParts, asked: Asked, { codec, large, reading, body, kept }: LargeAsked): ExchangeFor {
  const { ask, head } = asked
  const tenant = ask.caller.user.id
  const codecContext: CodecContext = { now: parts.clock.now, id: (prefix) => prefix + parts.random.base62(idLength) }
  const fileAt = filesAt(parts.fetchMedia, ask.signal)
  const files = new Map<string, Awaited<ReturnType<typeof fileAt>> | GatewayError>()
  let here: Promise<ReadRequest> | undefined

  /** The same request as text on this thread. */
  const readHere = () => (here ??= large.text().then((content) => openConversation(parts, ask, { ...body, content })))

  const conversationFor = (candidate: Candidate, request: ConversationRequest, lost: Form['conversion']['lost'] = []) => ({
    client: codec,
    upstream: conversationCodecs[candidate.dialect],
    request: { ...request, model: candidate.model.name },
    codecContext,
    reasoningState: parts.reasoningState,
    tenant,
    maker: candidate.channel.id,
    inputBytes: head.inputBytes,
    lost,
    estimator: (added?: number) => estimatorOf(parts.log, asked, large.sample, candidate, added),
  })

  const { continued, unresolved } = body

  /** `isKeeper`: it continues the conversation by itself, and gets what the client sent. */
  async function native(candidate: Candidate, isKeeper: boolean) {
    const refuses = refusable(candidate)
    const isOwn = isKeeper || unresolved !== undefined
    const { bytes, refused } = await large.edited(requestEdits(asked, candidate, isOwn ? [] : (ask.ownFields ?? [])), refuses, isOwn)
    const outline = await large.outline().catch(unreadable)
    const form = (): Form => {
      if (outline instanceof GatewayError) throw outline
      return formOf(candidate, outline)
    }
    const ready = {
      body: jsonPayload(bytes),
      losses: [...(isOwn ? [] : (continued?.losses ?? [])), ...refusedLosses(refused)],
      previous: isOwn ? undefined : continued?.previous,
      estimator: () => estimatorOf(parts.log, asked, large.sample, candidate),
    }
    return streamOrWhole(editedExchange(parts, asked, codec, ready, candidate), form)
  }

  const formOf = (candidate: Candidate, outline: ConversationRequest): Form => ({
    conversion: { ...conversationFor(candidate, outline), upstream: codec },
    memo: { toolNames: {}, wrappedTools: [] },
  })

  async function converted(candidate: Candidate) {
    const opened = await reading.opened()
    const calls = await large.bareCalls(opened)
    const { channel, model, dialect } = candidate
    const wanted: LargeConversion = {
      opened,
      recalled: await parts.reasoningState.recalled(tenant, calls),
      makers: await reading.makers(),
      dialect,
      channel: { id: channel.id, systemPrompt: channel.systemPrompt, params: channel.params, refuses: refusable(candidate) },
      target: targetOf(head, candidate),
      model: model.name,
      strict: ask.strict || channel.strict,
      lost: continued?.losses ?? [],
      files,
    }
    const written = await withFiles(wanted)
    const planned = conversationFor(candidate, written.outline)
    const ready = { ...written, body: jsonPayload(written.bytes), bytes: written.bytes.length }
    const exchange = writtenExchange(parts, asked, candidate, planned, ready)
    return streamOrWhole(exchange, () => exchange)
  }

  async function withFiles(wanted: LargeConversion): Promise<LargeConverted> {
    const written = await large.converted(wanted)
    if (!('wants' in written)) return written
    await Promise.all(written.wants.map(async (url) => files.set(url, await fileAt(url).catch(clientsFault))))
    if (ask.signal.aborted) throw clientClosed()
    const again = await large.converted(wanted)
    if ('wants' in again) throw new Error('files that were fetched are still wanted')
    return again
  }

  return async (candidate, rates) => {
    const makers = await reading.makers()
    const isKeeper = (await kept())?.continues(candidate) === true && !large.ownHasEnvelopes
    const passes =
      isKeeper ||
      (candidate.native &&
        !needsRewriting(candidate, () => large.isOddlySpelled) &&
        !large.hasEnvelopes &&
        !holdsForeign(candidate, makers))
    if (head.compacts === true || ask.operation === 'compact' || needsText(candidate)) return (await readHere()).exchange(candidate, rates)
    try {
      return passes ? await native(candidate, isKeeper) : await converted(candidate)
    } catch (thrown) {
      // The client's request cannot be sent to this candidate; anything else is a fault of ours and is not hidden.
      if (thrown instanceof GatewayError && thrown.blame === 'client') return thrown
      throw thrown
    }
  }
}

function clientsFault(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError && thrown.blame === 'client') return thrown
  throw thrown
}

/** An upstream may take a body that Parley cannot read: then its answer cannot be converted to the other form. */
function unreadable(cause: unknown): GatewayError {
  if (!(cause instanceof GatewayError)) throw cause
  return new GatewayError('upstream_error', 'The upstream answered in another form than was asked for.', { cause })
}
