/**
 * Token counts of requests: from an upstream that can count, else from Parley's own tokenizer. Free of charge, without a hold. An
 * upstream's failure does not affect the channel's health; the local estimate is returned instead.
 */

import { createTokenEstimator } from '#billing/tokens/tokenizer'
import type { Head, ScannedBody, StateRef } from '#canonical/codec'
import { conversationCodecs, countCodecs } from '#protocols/index'
import type { Ask, RelayParts } from '#relay/contract/ask'
import type { LargeBody } from '#relay/contract/large-body'
import { keptState } from '#relay/conversation/kept-state'
import { scanOf } from '#relay/conversation/reading'
import { previousField } from '#relay/conversation/stored-exchange'
import { readText } from '#relay/exchange/answer-text'
import { jsonPayload } from '#relay/exchange/json-payload'
import { finishOf, outgoing, signed } from '#relay/exchange/outgoing'
import type { Candidate } from '#routing/order'
import { modelNotFound, plan } from '#routing/plan'
import { abortedWithAny } from '#runtime/contract/abort'
import { GatewayError } from '#shared/errors'
import { phaseLimits, phaseTimer } from '#upstream/timeouts'
import { forwardedHeaders } from '#vendors/forwarded-headers'

/** Limits of a count: bytes of the response, and seconds. */
const answerBytes = 64 * 1024
const seconds = 10

export type CountDialect = keyof typeof countCodecs

/** The body to count. A large one is only forwarded or estimated. */
type Counted = ScannedBody | { large: LargeBody }

/** Upstreams that can count, best first. Throws `model_not_found`. */
function counters(parts: RelayParts, { caller }: Ask, model: string, dialect: CountDialect): Candidate[] {
  try {
    const request = { group: caller.group.name, model, models: caller.models, operation: 'count-tokens', dialect } as const
    return plan(parts.channels, request, parts.random.fraction).filter((candidate) => candidate.dialect in countCodecs)
  } catch (thrown) {
    if (thrown instanceof GatewayError && (thrown.code === 'unsupported_endpoint' || thrown.code === 'no_channel_available')) return []
    throw thrown
  }
}

/** Counts the tokens of a request. Resolves with the body of the response; rejects with GatewayError for an invalid request. */
export function createCounter(parts: RelayParts): (ask: Ask & { dialect: CountDialect }) => Promise<string> {
  async function askUpstream(
    candidate: Candidate,
    ask: Ask & { dialect: CountDialect },
    body: Counted,
    asked: Head,
    own: readonly string[],
  ) {
    const codec = countCodecs[candidate.dialect as CountDialect]
    const target = { model: candidate.model.upstream, capabilities: candidate.model.capabilities, stream: false }
    const written =
      candidate.native || 'large' in body ? undefined : codec.writeRequest(countCodecs[ask.dialect].readRequest(body, ask.path), target)
    const edits = {
      ...(candidate.model.upstream !== asked.model && { model: candidate.model.upstream }),
      remove: [...(asked.models ? ['models'] : []), ...own],
    }
    const headers = written?.headers ?? forwardedHeaders(candidate.dialect, (name) => ask.headers.get(name))
    const sent = written
      ? JSON.stringify(written.body)
      : 'large' in body
        ? jsonPayload(await body.large.edited(edits, [], finishOf('count-tokens', candidate, headers)))
        : codec.editRequest(body.text, edits)
    const timer = phaseTimer(parts.clock, phaseLimits({ firstEvent: seconds, total: seconds }))
    try {
      const request = outgoing({ operation: 'count-tokens', stream: false, version: parts.version }, candidate, sent, headers)
      const signal = abortedWithAny(ask.signal, timer.signal)
      const answer = await parts.upstream.open(await signed(parts.signer, request, signal), signal, () => timer.connected())
      const { text } = await readText(answer, answerBytes)
      if (answer.status !== 200)
        throw conversationCodecs[candidate.dialect].readError(answer.status, new Headers([...answer.headers]), text)
      return codec.readResponse(text)
    } finally {
      timer.stop()
    }
  }

  return async (ask) => {
    const codec = countCodecs[ask.dialect]
    const sent = await ask.body()
    const counted: Counted = sent.large ? { large: sent.large } : scanOf(sent, codec)
    try {
      return codec.writeResponse(await tokensOf(ask, counted, sent.known ?? []))
    } finally {
      sent.large?.release()
    }
  }

  /** `known`: responses whose conversation is already part of the body. */
  async function tokensOf(ask: Ask & { dialect: CountDialect }, counted: Counted, known: readonly StateRef[]): Promise<number> {
    const head = 'large' in counted ? counted.large.head : countCodecs[ask.dialect].readHead(counted, ask.path)
    if (!parts.prices.get(head.model)) throw modelNotFound()
    const able = counters(parts, ask, head.model, ask.dialect)
    const kept = head.stateRefs?.length ? await keptState(parts.reasoningState, ask.caller.user.id, head.stateRefs, known) : undefined
    for (const candidate of kept?.among(able, true) ?? able) {
      if ('large' in counted && !candidate.native) continue
      try {
        return await askUpstream(candidate, ask, counted, head, known.length > 0 ? [previousField] : [])
      } catch (thrown) {
        parts.log.debug({ requestId: ask.requestId, channel: candidate.channel.name, err: thrown }, 'an upstream did not count the tokens')
      }
    }
    const asked =
      'large' in counted ? counted.large.sample : { body: counted.text, bytes: head.inputBytes, hasFiles: head.media.length > 0 }
    return createTokenEstimator(head.model, () => asked).input(head.inputBytes)
  }
}
