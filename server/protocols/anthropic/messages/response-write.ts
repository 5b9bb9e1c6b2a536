/** A conversation's answer as a whole Messages answer. */

import type { Pen } from '#canonical/codec'
import type {
  CallPart,
  ConversationRequest,
  ConversationResponse,
  MediaPart,
  NativePart,
  Part,
  ReasoningPart,
  TextPart,
} from '#canonical/conversation'
import { type Loss, type LossList, lossList } from '#canonical/loss'
import { wrapInput } from '#canonical/wrapped-tool'
import { parseObject } from '#wire/json-scan'
import { writeCitation } from './citations.ts'
import { writeFinish } from './finish.ts'
import type { Json } from './frame.ts'
import { writeUsage } from './usage.ts'

/** The client is told the name of the model that it asked for. */
export function writeResponse(
  response: ConversationResponse,
  asked: ConversationRequest,
  pen: Pen,
): { body: string; losses: readonly Loss[] } {
  const losses = lossList()
  const [choice, ...others] = response.choices
  if (others.length > 0) losses.dropped('response.choices', 'This dialect has one answer.')
  const parts = choice?.parts ?? []
  const refused = parts.some(({ kind }) => kind === 'refusal')
  const tier = writeServedTier(response.tier)
  const body = {
    id: messageId(response.id, pen),
    type: 'message',
    role: 'assistant',
    model: asked.model,
    content: untilWords(parts).flatMap((part) => answerBlock(part, losses, pen)),
    ...writeFinish(choice?.finish ?? { reason: 'stop', raw: '' }, refused),
    usage: { ...writeUsage(response.usage), ...(tier !== undefined && { service_tier: tier }) },
  }
  return { body: JSON.stringify(body), losses: losses.losses }
}

/** An id of another dialect would tell a client nothing. */
export const messageId = (id: string, pen: Pen): string => (id.startsWith('msg_') ? id : pen.id('msg_'))

const tiers: Readonly<Record<string, string>> = { default: 'standard', standard: 'standard', priority: 'priority', batch: 'batch' }
const writeServedTier = (tier: string | undefined) => (tier !== undefined && Object.hasOwn(tiers, tier) ? tiers[tier] : undefined)

/** Without the signatures behind the last words, which a stream leaves out too: see there. */
function untilWords(parts: readonly Part[]): readonly Part[] {
  const last = parts.findLastIndex((part) => !isBareSignature(part))
  return parts[last]?.kind === 'text' ? parts.slice(0, last + 1) : parts
}

const isBareSignature = (part: Part) =>
  part.kind === 'reasoning' && part.form === 'hidden' && part.opaque.every(({ kind }) => kind !== 'redacted')

function answerBlock(part: Part, losses: LossList, pen: Pen): Json[] {
  switch (part.kind) {
    case 'text':
      return textBlock(part)
    case 'refusal':
      losses.adapted('response.refusal', 'This dialect has no place for a refusal: its words are text.')
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'reasoning':
      return reasoningBlock(part)
    case 'call':
      return [callBlock(part, losses, pen)]
    case 'native':
      return nativeBlock(part, losses)
    case 'media':
      return mediaBlock(part, losses)
    case 'result':
      losses.dropped('response.parts', 'An answer holds no results of the client’s tools.')
      return []
  }
}

function textBlock({ text, citations }: TextPart): Json[] {
  if (text === '') return []
  const written = (citations ?? []).flatMap((citation) => writeCitation(citation) ?? [])
  return [{ type: 'text', text, ...(written.length > 0 && { citations: written }) }]
}

function reasoningBlock({ text, opaque }: ReasoningPart): Json[] {
  const own = opaque.filter(({ dialect }) => dialect === 'messages')
  const redacted = own.find(({ kind }) => kind === 'redacted')
  if (redacted && text.length === 0) return [{ type: 'redacted_thinking', data: redacted.value }]
  const signature = own.find(({ kind }) => kind === 'signature')
  if (text.length === 0 && !signature) return []
  return [{ type: 'thinking', thinking: text.join('\n\n'), signature: signature?.value ?? '' }]
}

function callBlock({ callId, name, form, argsText }: CallPart, losses: LossList, pen: Pen): Json {
  const wanted = form === 'text' ? wrapInput(argsText) : argsText.trim() === '' ? '{}' : argsText
  const input = parseObject(wanted)
  if (!input) losses.adapted('response.call.arguments', 'The model wrote arguments that are no JSON object.')
  return { type: 'tool_use', id: callId || pen.id('toolu_'), name, input: input ?? { _raw: argsText } }
}

function nativeBlock({ dialect, raw, summary }: NativePart, losses: LossList): Json[] {
  if (dialect === 'messages') return [raw as Json]
  losses.dropped('response.native', 'A part of the answer means something to its own dialect only.')
  return summary === undefined || summary === '' ? [] : [{ type: 'text', text: summary }]
}

/** Messages has no media in answers; what was said in audio stands as text. */
function mediaBlock({ transcript }: MediaPart, losses: LossList): Json[] {
  losses.dropped('response.media', 'This dialect has no media in answers.')
  return transcript === undefined || transcript === '' ? [] : [{ type: 'text', text: transcript }]
}
