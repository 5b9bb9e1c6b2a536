/**
 * A conversation in a large body. The rules are those of any other; its content stays in the worker, which returns bytes for one candidate.
 */
import type { CodecContext, ConversationCodec } from '#canonical/codec'
import type { CompactionCodec } from '#canonical/compaction-codec'
import type { ConversationRequest } from '#canonical/conversation'
import { compactionCodecs, conversationCodecs } from '#protocols/index'
import type { Ask, Body, RelayParts } from '#relay/contract/ask'
import type { Exchange } from '#relay/contract/exchange'
import type { LargeBody, LargeConversion, LargeConverted } from '#relay/contract/large-body'
import type { Asked, ExchangeFor, ReadRequest } from '#relay/contract/steps'
import { holdsForeign, makersFirst } from '#relay/conversation/account-bound'
import { compactingConversion } from '#relay/conversation/compaction'
import { isCompactedByParley, needsRewriting } from '#relay/conversation/conversation'
import { codecFor, targetOf, writtenExchange } from '#relay/conversation/converted'
import { type KeptState, keptState } from '#relay/conversation/kept-state'
import { clientHeaders, editedExchange, requestEdits } from '#relay/conversation/native'
import { filesAt } from '#relay/conversation/remote-media'
import { affinityScope, sessionNames } from '#relay/conversation/session-affinity'
import { type Form, streamOrWhole } from '#relay/conversation/stream-or-whole'
import { clientClosed } from '#relay/exchange/ended'
import { jsonPayload } from '#relay/exchange/json-payload'
import { longFiles } from '#relay/exchange/long-files'
import { finishOf, refusable, refusedLosses } from '#relay/exchange/outgoing'
import { estimatorOf } from '#relay/exchange/token-estimator'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import type { Dialect } from '#shared/ids'
import { type LargeReading, readingOf } from './large-reading.ts'

const idLength = 24

/** A conversation that the worker has read. Never throws. */
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
  const long = longFiles(parts.random)
  const fileAt = filesAt(parts.fetchMedia, ask.signal, long)
  const files = new Map<string, Awaited<ReturnType<typeof fileAt>> | GatewayError>()

  const conversationFor = (candidate: Candidate, request: ConversationRequest, question?: string) => ({
    client: codec,
    upstream: codecFor(candidate),
    request: { ...request, model: candidate.model.name },
    codecContext,
    reasoningState: parts.reasoningState,
    tenant,
    maker: candidate.channel.id,
    inputBytes: head.inputBytes,
    lost: [],
    question: () => question,
    estimator: (added?: number) => estimatorOf(parts.log, asked, large.sample, candidate, added),
  })

  const { continued, unresolved } = body

  /** `isKeeper`: the candidate has the conversation, and gets what the client sent. */
  async function native(candidate: Candidate, isKeeper: boolean) {
    const refuses = refusable(candidate)
    const isOwn = isKeeper || unresolved !== undefined
    const edits = requestEdits(asked, candidate, isOwn ? [] : (ask.ownFields ?? []))
    const finish = finishOf(ask.operation, candidate, clientHeaders(asked, candidate))
    const { refused, ...finished } = await large.edited(edits, refuses, finish, isOwn)
    const outline = await large.outline().catch(unreadable)
    const form = (): Form => {
      if (outline instanceof GatewayError) throw outline
      return formOf(candidate, outline)
    }
    const ready = {
      body: jsonPayload(finished),
      losses: [...(isOwn ? [] : (continued?.losses ?? [])), ...refusedLosses(refused)],
      previous: isOwn ? undefined : continued?.previous,
      estimator: () => estimatorOf(parts.log, asked, large.sample, candidate),
    }
    return streamOrWhole(editedExchange(parts, asked, codec, ready, candidate), head.stream, form)
  }

  const formOf = (candidate: Candidate, outline: ConversationRequest): Form => ({
    conversion: { ...conversationFor(candidate, outline), upstream: codec },
    memo: { toolNames: {}, wrappedTools: [] },
  })

  async function converted(candidate: Candidate, compaction: CompactionCodec | undefined): Promise<Exchange> {
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
      finish: finishOf('generate', candidate),
      converses: channel.vendor.converses?.(model.upstream) === true,
      compacts: compaction !== undefined,
      strict: ask.strict || channel.strict,
      lost: continued?.losses ?? [],
      files,
    }
    const written = await withFiles(wanted)
    const conversation = conversationFor(candidate, written.outline, written.question)
    const isEndpoint = ask.operation === 'compact'
    const planned = compaction
      ? compactingConversion(conversation, written.summary ?? written.outline, {
          codec: compaction,
          seal: (words) => parts.reasoningState.sealWords(tenant, words),
          // The caller's messages are in the worker, which puts them before the answer.
          withMessages: isEndpoint ? (answer) => answer : undefined,
        })
      : conversation
    const body = await long.payload(written)
    const ready = { ...written, body, bytes: body.length }
    const exchange = writtenExchange(parts, asked, candidate, planned, ready)
    const either = streamOrWhole(exchange, head.stream, () => exchange)
    return compaction && isEndpoint ? withMessages(either) : either
  }

  const withMessages = (exchange: Exchange): Exchange => ({
    ...exchange,
    async whole(text, rest) {
      const answer = await exchange.whole(text, rest)
      return { ...answer, body: '', bytes: await large.compacted(answer.body) }
    },
  })

  async function withFiles(wanted: LargeConversion): Promise<LargeConverted> {
    const written = await large.converted(wanted)
    if (!('wants' in written)) return written
    await Promise.all(written.wants.map(async (url) => files.set(url, await fileAt(url).catch(clientsFault))))
    if (ask.signal.aborted) throw clientClosed()
    const again = await large.converted(wanted)
    if ('wants' in again) throw new Error('files that were fetched are still wanted')
    return again
  }

  return async (candidate) => {
    const makers = await reading.makers()
    const isKeeper = (await kept())?.continues(candidate) === true && !large.ownHasEnvelopes
    const passes =
      isKeeper ||
      (candidate.native && !(needsRewriting(candidate) && large.isOddlySpelled) && !large.hasEnvelopes && !holdsForeign(candidate, makers))
    const byParley = isCompactedByParley(asked, candidate, passes)
    try {
      if (passes && !byParley) return await native(candidate, isKeeper)
      return await converted(candidate, byParley ? compactionCodecs[codec.dialect] : undefined)
    } catch (thrown) {
      // The client's request cannot be sent to this candidate; any other error is a bug of ours and is not hidden.
      if (thrown instanceof GatewayError && thrown.blame === 'client') return thrown
      throw thrown
    }
  }
}

function clientsFault(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError && thrown.blame === 'client') return thrown
  throw thrown
}

/** An upstream may accept a body that Parley cannot read: then its answer cannot be converted to the other form. */
function unreadable(cause: unknown): GatewayError {
  if (!(cause instanceof GatewayError)) throw cause
  return new GatewayError('upstream_error', 'The upstream did not answer in the requested form.', { cause })
}
