/** Same dialect on both sides: the client's own bytes with spliced edits, the answer watched as it passes. */
import type { AnswerEdits, PassthroughCodec, RequestEdits } from '#canonical/codec'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import { forwardedHeaders } from '#vendors/forwarded'
import type { Call } from './call.ts'
import { outgoing, splitterOf } from './outgoing.ts'
import type { Passage, Way } from './way.ts'

function requestEdits(call: Call, { channel, model }: Candidate): RequestEdits {
  const { head } = call
  const remove = [...(call.ask.ownFields ?? []), ...(channel.params.remove ?? [])]
  return {
    ...(model.upstream === head.model ? {} : { model: model.upstream }),
    ...(head.stream && !head.usageAsked ? { forceUsage: true } : {}),
    ...(channel.systemPrompt === null ? {} : { systemPrompt: channel.systemPrompt }),
    ...(channel.params.set ? { set: channel.params.set } : {}),
    ...(remove.length > 0 ? { remove } : {}),
  }
}

function answerEdits(call: Call, candidate: Candidate): AnswerEdits {
  return {
    ...(candidate.model.upstream === call.head.model ? {} : { model: call.head.model }),
    ...(call.head.usageAsked ? {} : { hideUsage: true }),
  }
}

function nativePassage(codec: PassthroughCodec, edits: AnswerEdits, inputBytes: number): Passage {
  const meter = codec.meter(edits)
  return {
    push: (frame) => meter.push(frame),
    close() {
      if (meter.end() !== 'cut') return { out: meter.tail(), meaningful: true, last: true }
      return { out: undefined, meaningful: false, error: new GatewayError('upstream_error', 'The upstream ended its answer early.') }
    },
    usage: () => meter.usage(inputBytes),
    finished: () => (meter.end() === 'length' ? 'length' : 'complete'),
    failure: (error) => meter.failure?.(error) ?? codec.writeStreamError(error),
  }
}

export function nativeWay(call: Call, candidate: Candidate): Way {
  const { codec, head, raw } = call
  const edits = answerEdits(call, candidate)
  const wanted = { operation: call.ask.operation, stream: head.stream, version: call.parts.version }
  return {
    request: outgoing(
      wanted,
      candidate,
      codec.editRequest(raw, requestEdits(call, candidate)),
      forwardedHeaders(candidate.dialect, call.ask.header),
    ),
    upstream: codec,
    losses: [],
    whole: (body) => codec.readWhole(body, edits, head.inputBytes),
    splitter: () => splitterOf(candidate),
    passage: () => nativePassage(codec, edits, head.inputBytes),
  }
}
