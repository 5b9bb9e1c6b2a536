/** A conversation's answer as a whole Messages answer. */

import type { Pen } from '#canonical/codec'
import type {
  CallPart,
  Citation,
  ConversationRequest,
  ConversationResponse,
  MediaPart,
  NativePart,
  Part,
  PartHead,
  ReasoningPart,
  TextPart,
} from '#canonical/conversation'
import { type Loss, type LossList, lossList } from '#canonical/loss'
import { wrapInput } from '#canonical/wrapped-tool'
import { isObject, parseObject } from '#wire/json-scan'
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
  if (others.length > 0) lostAnswer(losses)
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

export const lostAnswer = (losses: LossList) => losses.dropped('response.choices', 'This dialect has one answer.')

/** What this dialect cannot say of a part, as soon as it begins. */
export function noteLosses(part: Part | PartHead, losses: LossList): void {
  if (part.kind === 'refusal') losses.adapted('response.refusal', 'This dialect has no place for a refusal: its words are text.')
  if (part.kind === 'media') losses.dropped('response.media', 'This dialect has no media in answers.')
  if (part.kind !== 'native' || ownBlock(part)) return
  if (part.summary) losses.adapted('response.native', 'A part of the answer is told as text.')
  else losses.dropped('response.native', 'A part of the answer means something to its own dialect only.')
}

/** A block of this dialect, as its upstream told it. */
export const ownBlock = ({ dialect, raw }: Pick<NativePart, 'dialect' | 'raw'>): Json | undefined =>
  dialect === 'messages' && isObject(raw) ? raw : undefined

/** A citation for a client; undefined for a place that only another dialect can name. */
export function citationOf(citation: Citation, losses: LossList): Json | undefined {
  const written = writeCitation(citation)
  if (!written) losses.forgotten('response.citations', 'A source without an address has no place in this dialect.')
  return written
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
  noteLosses(part, losses)
  switch (part.kind) {
    case 'text':
      return textBlock(part, losses)
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'reasoning':
      return reasoningBlock(part)
    case 'call':
      return [callBlock(part, losses, pen)]
    case 'native':
      return nativeBlock(part)
    case 'media':
      return mediaBlock(part)
    case 'result':
      losses.dropped('response.parts', 'An answer holds no results of the client’s tools.')
      return []
  }
}

function textBlock({ text, citations }: TextPart, losses: LossList): Json[] {
  if (text === '') return []
  const written = (citations ?? []).flatMap((citation) => citationOf(citation, losses) ?? [])
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

function nativeBlock(part: NativePart): Json[] {
  const own = ownBlock(part)
  if (own) return [own]
  return part.summary ? [{ type: 'text', text: part.summary }] : []
}

/** Messages has no media in answers; what was said in audio stands as text. */
function mediaBlock({ transcript }: MediaPart): Json[] {
  return transcript === undefined || transcript === '' ? [] : [{ type: 'text', text: transcript }]
}
