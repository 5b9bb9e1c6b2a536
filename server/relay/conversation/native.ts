/** Same dialect on both sides: the client's own bytes with spliced edits, the answer watched as it passes. */
import type { AnswerEdits, Head, PassthroughCodec, RequestEdits } from '#canonical/codec'
import type { Opaque } from '#canonical/conversation'
import type { TokenEstimator } from '#canonical/token-estimator'
import type { RelayParts } from '#relay/contract/ask'
import type { Exchange, Passage } from '#relay/contract/exchange'
import type { Asked } from '#relay/contract/steps'
import { outgoing, splitterOf } from '#relay/exchange/outgoing'
import { estimatorOf, hearing, roughlyAs } from '#relay/exchange/token-estimator'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import { forwardedHeaders } from '#vendors/forwarded-headers'

function requestEdits({ ask, head }: Asked, { channel, model }: Candidate): RequestEdits {
  const own = head.models === undefined ? [] : ['models']
  const remove = [...own, ...(ask.ownFields ?? []), ...(channel.params.remove ?? [])]
  return {
    ...(model.upstream === head.model ? {} : { model: model.upstream }),
    ...(head.stream && !head.usageAsked ? { forceUsage: true } : {}),
    ...(channel.systemPrompt === null ? {} : { systemPrompt: channel.systemPrompt }),
    ...(channel.params.set ? { set: channel.params.set } : {}),
    ...(remove.length > 0 ? { remove } : {}),
  }
}

function answerEdits(head: Head, candidate: Candidate): AnswerEdits {
  return {
    ...(candidate.model.upstream === candidate.model.name ? {} : { model: candidate.model.name }),
    ...(head.usageAsked ? {} : { hideUsage: true }),
  }
}

/** `claim` is told what the upstream sealed. */
type Claim = (sealed: Opaque[] | undefined) => void

interface Watched {
  inputBytes: number
  estimator: TokenEstimator
  claim: Claim
}

function nativePassage(codec: PassthroughCodec, edits: AnswerEdits, { inputBytes, estimator, claim }: Watched): Passage {
  const { observe, heard } = hearing(estimator)
  const meter = codec.meter(edits, observe)
  const rough = roughlyAs(estimator)
  return {
    push(frame) {
      const verdict = meter.push(frame)
      if (verdict.sealed) claim(verdict.sealed)
      return verdict
    },
    close() {
      if (meter.end() !== 'cut') return { out: meter.tail(), meaningful: true, last: true }
      return { out: undefined, meaningful: false, error: new GatewayError('upstream_error', 'The upstream ended its answer early.') }
    },
    usage: () => meter.usage(inputBytes, rough),
    counted: () => meter.usage(inputBytes, estimator),
    heard,
    finished: () => (meter.end() === 'length' ? 'length' : 'complete'),
    failure: (error) => meter.failure?.(error) ?? codec.writeStreamError(error),
  }
}

const noCompaction = () => new GatewayError('upstream_error', 'The upstream answered without a compaction.')

/** `raw` is the body as the client sent it. */
export function nativeExchange(parts: RelayParts, asked: Asked, codec: PassthroughCodec, raw: string, candidate: Candidate): Exchange {
  const { ask, head } = asked
  const { inputBytes } = head
  const estimator = () => estimatorOf(parts.log, asked, raw, candidate)
  const edits = answerEdits(head, candidate)
  const claim: Claim = (sealed) => {
    if (sealed) parts.reasoningState.claim(ask.caller.user.id, candidate.channel.id, sealed)
  }
  const wanted = { operation: ask.operation, stream: head.stream, version: parts.version }
  return {
    request: outgoing(
      wanted,
      candidate,
      codec.editRequest(raw, requestEdits(asked, candidate)),
      // In strict mode the upstream itself says what it thinks of the version that was asked for.
      forwardedHeaders(
        candidate.dialect,
        (name) => ask.headers.get(name),
        head.samples === true && !ask.strict && !candidate.channel.strict,
      ),
    ),
    upstream: codec,
    losses: [],
    whole(body) {
      const answer = codec.readWhole(body, edits, inputBytes, estimator())
      // An agent would put nothing in the place of its conversation.
      if (ask.operation === 'compact' && !answer.sealed?.length) throw noCompaction()
      claim(answer.sealed)
      return answer
    },
    splitter: () => splitterOf(candidate),
    passage: () => nativePassage(codec, edits, { inputBytes, estimator: estimator(), claim }),
  }
}
