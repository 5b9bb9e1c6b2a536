/**
 * Compaction for upstreams without it: the same model is asked for a summary by an ordinary request, and the client gets one sealed item
 * that contains it. Only a complete summary is sealed: a truncated one would lose the rest silently.
 */
import type { ConversationCodec, StreamWriter } from '#canonical/codec'
import type { CompactionCodec } from '#canonical/compaction-codec'
import type { Choice, ConversationRequest, FinishReason, NativePart } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import type { Loss } from '#canonical/loss'
import { GatewayError } from '#shared/errors'
import type { Conversion } from './conversion.ts'
import { asWords, summaryRequest } from './summary.ts'

export interface Compaction {
  codec: CompactionCodec
  /** Seals a text in the tenant's envelope. */
  seal(words: string): string
  /** For the compaction endpoint: puts the caller's messages in front of the answer. */
  withMessages: ((answer: string) => string) | undefined
}

/** The loss reported for every compaction by Parley. */
export const ownWork: Loss = {
  field: 'compaction',
  what: 'adapted',
  reason: 'This upstream has no compaction: the same model wrote a summary, which Parley sealed.',
  meaning: false,
}

const noSummary = () => new GatewayError('upstream_error', 'The upstream did not return a complete summary of the conversation.')

const isCut = (reason: FinishReason) => reason === 'length' || reason === 'context-full'
const isWhole = (reason: FinishReason) => reason === 'stop' || reason === 'stop-sequence'

/** The request for a summary of `request`. Throws `invalid_value` when the conversation is empty. */
export const compactingRequest = (request: ConversationRequest, codec: Pick<CompactionCodec, 'withoutTrigger'>): ConversationRequest =>
  summaryRequest(codec.withoutTrigger(request))

/** The same conversion, asking for a summary with `request` and answering with a sealed item. */
export function compactingConversion(
  conversion: Conversion,
  request: ConversationRequest,
  { codec, seal, withMessages }: Compaction,
): Conversion {
  const { client, codecContext } = conversion

  function partOf(summary: string, reason: FinishReason): NativePart {
    if (!isWhole(reason) || summary.trim() === '') throw noSummary()
    return codec.part(seal(asWords(summary)), codecContext)
  }

  const writeResponse: ConversationCodec['writeResponse'] = (response) => {
    const [choice] = response.choices
    if (!choice) throw noSummary()
    if (!withMessages && isCut(choice.finish.reason)) {
      return client.writeResponse({ ...response, choices: [{ ...choice, parts: [] }] }, conversion.request, codecContext)
    }
    const part = partOf(textOf(choice), choice.finish.reason)
    if (withMessages) return { body: withMessages(codec.writeWhole(part, response, codecContext)), losses: [] }
    return client.writeResponse({ ...response, choices: [{ ...choice, parts: [part] }] }, conversion.request, codecContext)
  }

  return {
    ...conversion,
    request,
    client: { ...client, writeResponse, writer: () => summaryWriter(client.writer(conversion.request, codecContext), partOf) },
    lost: [...conversion.lost, ownWork],
  }
}

const textOf = ({ parts }: Choice) => parts.map((part) => (part.kind === 'text' ? part.text : '')).join('')

/** Holds the summary back, and writes the sealed item instead when the answer is finished. */
function summaryWriter(writer: StreamWriter, partOf: (summary: string, reason: FinishReason) => NativePart): StreamWriter {
  const texts = new Set<number>()
  const pieces: string[] = []
  const place = { choice: 0, at: 0 }

  function accepted(event: ConversationEvent): ConversationEvent[] {
    switch (event.kind) {
      case 'open':
        if (event.part.kind === 'text') texts.add(event.at)
        return []
      case 'delta':
        if (texts.has(event.at) && 'text' in event.delta) pieces.push(event.delta.text)
        return []
      case 'close':
        return []
      case 'finish': {
        const { reason } = event.finish
        if (isCut(reason)) return [event]
        return [{ kind: 'open', ...place, part: partOf(pieces.join(''), reason) }, { kind: 'close', ...place }, event]
      }
      case 'start':
      case 'usage':
      case 'end':
      case 'error':
        return [event]
    }
  }

  return { push: (event) => Buffer.concat(accepted(event).map((one) => writer.push(one))), losses: () => writer.losses() }
}
