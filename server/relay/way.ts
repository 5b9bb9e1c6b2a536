/**
 * How one candidate is spoken to. Same dialect on both sides: the client's own bytes with spliced edits, the answer watched as
 * it passes. Different dialects: `converted.ts`. The rest of the staircase does not know which of the two it is using.
 */
import type { AnswerEdits, Frame, FrameVerdict, PassthroughCodec, RequestEdits, WholeAnswer } from '#canonical/codec'
import type { Loss } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import type { UpstreamRequest } from '#upstream/upstream'
import { authHeaders } from '#vendors/auth'
import type { Call } from './ask.ts'

/** One upstream stream on its way to the client. */
export interface Passage {
  push(frame: Frame): FrameVerdict
  /** The upstream closed its side in order: the end of the answer, or `error` when something was missing. */
  close(): FrameVerdict
  /** What was used so far. */
  usage(): Usage
  /** How a complete answer ended. */
  finished(): 'complete' | 'length'
  /** The failure in the client's dialect, terminator included. */
  failure(error: GatewayError): Uint8Array
}

export interface Way {
  request: UpstreamRequest
  /** Reads what this upstream refuses with. */
  upstream: Pick<PassthroughCodec, 'readError'>
  losses: readonly Loss[]
  /** Throws GatewayError `upstream_error` when the body is no answer. */
  whole(body: string): WholeAnswer
  passage(): Passage
}

/** Nothing of the client's own headers goes out: the set is built here from the channel alone. `extra` belongs to the dialect. */
export function upstreamRequest(call: Call, candidate: Candidate, body: string, extra: Record<string, string> = {}): UpstreamRequest {
  const { channel, key, model, dialect } = candidate
  const { stream } = call.head
  return {
    method: 'POST',
    url: channel.vendor.endpoint(channel.baseUrl, {
      operation: call.ask.operation,
      dialect,
      model: model.upstream,
      stream,
      options: channel.options,
    }),
    headers: {
      'content-type': 'application/json',
      accept: stream ? 'text/event-stream' : 'application/json',
      'user-agent': `parley/${call.parts.version}`,
      ...extra,
      ...authHeaders(channel.vendor.auth, key?.secret),
      ...channel.headers,
    },
    body,
  }
}

function requestEdits(call: Call, { channel, model }: Candidate): RequestEdits {
  const { head } = call
  return {
    ...(model.upstream === head.model ? {} : { model: model.upstream }),
    ...(head.stream && !head.usageAsked ? { forceUsage: true } : {}),
    ...(channel.systemPrompt === null ? {} : { systemPrompt: channel.systemPrompt }),
    ...(channel.params.set ? { set: channel.params.set } : {}),
    ...(channel.params.remove ? { remove: channel.params.remove } : {}),
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
    failure: (error) => codec.writeStreamError(error),
  }
}

export function nativeWay(call: Call, candidate: Candidate): Way {
  const { codec, head, raw } = call
  const edits = answerEdits(call, candidate)
  return {
    request: upstreamRequest(call, candidate, codec.editRequest(raw, requestEdits(call, candidate))),
    upstream: codec,
    losses: [],
    whole: (body) => codec.readWhole(body, edits, head.inputBytes),
    passage: () => nativePassage(codec, edits, head.inputBytes),
  }
}
