/** A conversation's answer as a whole Messages answer. */

import type { CodecContext } from '#canonical/codec'
import type {
  CallPart,
  Choice,
  Citation,
  ConversationRequest,
  ConversationResponse,
  MediaPart,
  NativePart,
  Opaque,
  Part,
  ReasoningPart,
  RefusalPart,
  TextPart,
} from '#canonical/conversation'
import type { Loss, LossList } from '#canonical/loss'
import {
  type FieldWriters,
  lossList,
  notNeeded,
  type WrittenFields,
  type WrittenKind,
  writeFields,
  writtenElsewhere,
} from '#protocols/codec/field-writers'
import { wrapInput } from '#protocols/codec/wrapped-tool'
import { parseArguments } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type { Json } from '../frame.ts'
import { writeCitation } from './citations.ts'
import { writeFinish } from './finish.ts'
import { writeUsage } from './usage.ts'

interface Context {
  asked: ConversationRequest
  losses: LossList
  codecContext: CodecContext
}

/** The body with the model name that the client asked for, and the losses of the answer. */
export function writeResponse(
  response: ConversationResponse,
  asked: ConversationRequest,
  codecContext: CodecContext,
): { body: string; losses: readonly Loss[] } {
  const losses = lossList()
  const body = writeFields(response, responseWriters, { asked, losses, codecContext })
  return { body: JSON.stringify(body), losses: losses.losses }
}

const responseWriters: FieldWriters<ConversationResponse, Context> = {
  id: (id, { codecContext }) => ({ id: messageId(id, codecContext), type: 'message', role: 'assistant' }),
  model: (_, { asked }) => ({ model: asked.model }),
  choices([choice = noChoice, ...others], context) {
    if (others.length > 0) lostAnswer(context.losses)
    return writeFields(choice, choiceWriters, context)
  },
  usage(usage, _, { tier }) {
    const service_tier = writeServedTier(tier)
    return { usage: { ...writeUsage(usage), ...(service_tier !== undefined && { service_tier }) } }
  },
  tier: writtenElsewhere,
  // Answers of this dialect have no date.
  created: notNeeded,
}

const noChoice: Choice = { index: 0, parts: [], finish: { reason: 'stop', raw: '' } }

const choiceWriters: FieldWriters<Choice, Context> = {
  parts: (parts, context) => ({ content: untilWords(parts).flatMap((part) => answerBlock(part, context)) }),
  finish: (finish, _, { parts }) =>
    writeFinish(
      finish,
      parts.some(({ kind }) => kind === 'refusal'),
    ),
  // There is one answer.
  index: notNeeded,
  // A client of this dialect cannot ask for them.
  logprobs: notNeeded,
}

/** Records that an answer beyond the first is lost. */
export const lostAnswer = (losses: LossList) => losses.dropped('response.choices', 'This dialect has one answer.')

/** A part, or its head. */
type Begun =
  | { kind: Exclude<Part['kind'], 'native'> }
  | WrittenKind<Part, 'native', { dialect: 'written'; raw: 'written'; summary: 'written'; opaque: 'notNeeded' }>

/** Records what this dialect cannot express of a part; known as soon as the part begins. */
export function noteLosses(part: Begun, losses: LossList): void {
  if (part.kind === 'refusal') losses.adapted('response.refusal', 'This dialect has no refusals: the refusal became text.')
  if (part.kind === 'media') losses.dropped('response.media', 'This dialect has no media in answers.')
  if (part.kind !== 'native' || ownBlock(part)) return
  if (part.summary) losses.adapted('response.native', 'A part of the answer became text.')
  else losses.dropped('response.native', 'A part of the answer is meaningless in other dialects.')
}

/** The block of this dialect as its upstream sent it; undefined for a part of another dialect. */
export const ownBlock = ({ dialect, raw }: Pick<NativePart, 'dialect' | 'raw'>): Json | undefined =>
  dialect === 'messages' && isObject(raw) ? raw : undefined

/** A citation for a client; undefined for a place that only another dialect can name. */
export function citationOf(citation: Citation, losses: LossList): Json | undefined {
  const written = writeCitation(citation)
  if (!written) losses.leftOut('response.citations', 'A source without a URL cannot be expressed in this dialect.')
  return written
}

/** The answer's id if it is one of this dialect, else a new one. */
export const messageId = (id: string, codecContext: CodecContext): string => (id.startsWith('msg_') ? id : codecContext.id('msg_'))

const tiers: Readonly<Record<string, string>> = { default: 'standard', standard: 'standard', priority: 'priority', batch: 'batch' }
const writeServedTier = (tier: string | undefined) => (tier !== undefined && Object.hasOwn(tiers, tier) ? tiers[tier] : undefined)

/** The parts without the signatures that follow the last text; stream-write.ts explains why they are left out. */
function untilWords(parts: readonly Part[]): readonly Part[] {
  const last = parts.findLastIndex((part) => !isBareSignature(part))
  return parts[last]?.kind === 'text' ? parts.slice(0, last + 1) : parts
}

const isBareSignature = (part: Part) =>
  part.kind === 'reasoning' && part.form === 'hidden' && part.opaque.every(({ kind }) => kind !== 'redacted')

function answerBlock(part: Part, context: Context): Json[] {
  noteLosses(part, context.losses)
  switch (part.kind) {
    case 'text':
      return part.text === '' ? [] : [writeFields(part, textWriters, context)]
    case 'refusal':
      return part.text === '' ? [] : [writeFields(part, refusalWriters, context)]
    case 'reasoning':
      return filled(writeFields(part, reasoningWriters, context))
    case 'call':
      return [writeFields(part, callWriters, context)]
    case 'native':
      return filled(writeFields(part, nativeWriters, context))
    case 'media':
      return filled(writeFields(part, mediaWriters, context))
    case 'result':
      context.losses.dropped('response.parts', 'An answer cannot contain results of the client’s tools.')
      return []
  }
}

const filled = (block: Json): Json[] => (Object.keys(block).length > 0 ? [block] : [])

const textWriters: FieldWriters<TextPart, Context> = {
  kind: () => ({ type: 'text' }),
  text: (text) => ({ text }),
  citations(citations, { losses }) {
    const written = citations.flatMap((citation) => citationOf(citation, losses) ?? [])
    return written.length > 0 ? { citations: written } : undefined
  },
  // Only Responses distinguishes remarks from the answer.
  phase: notNeeded,
  // Only requests have breakpoints.
  cache: notNeeded,
  // Signatures of text are in a part of their own here: `untilWords`.
  opaque: notNeeded,
}

const refusalWriters: FieldWriters<RefusalPart, Context> = {
  kind: () => ({ type: 'text' }),
  text: (text) => ({ text }),
}

/** State as blocks and streams write it. */
export type State = WrittenFields<Opaque, { dialect: 'written'; value: 'written' }>

const reasoningWriters: FieldWriters<ReasoningPart, Context> = {
  opaque(opaque, _, { text }) {
    const own: State[] = opaque.filter(({ dialect }) => dialect === 'messages')
    const redacted = own.find(({ kind }) => kind === 'redacted')
    if (redacted && text.length === 0) return { type: 'redacted_thinking', data: redacted.value }
    const signature = own.find(({ kind }) => kind === 'signature')
    if (text.length === 0 && !signature) return undefined
    return { type: 'thinking', thinking: text.join('\n\n'), signature: signature?.value ?? '' }
  },
  text: writtenElsewhere,
  // Implied by the kind of block.
  form: notNeeded,
  kind: notNeeded,
}

const callWriters: FieldWriters<CallPart, Context> = {
  kind: () => ({ type: 'tool_use' }),
  callId: (callId, { codecContext }) => ({ id: callId || codecContext.id('toolu_') }),
  name: (name) => ({ name }),
  argsText(argsText, { losses }, { form }) {
    const input = parseArguments(form === 'text' ? wrapInput(argsText) : argsText.trim() === '' ? '{}' : argsText)
    if (!input) losses.adapted('response.call.arguments', 'The model wrote arguments that are not a JSON object.')
    return { input: input ?? { _raw: argsText } }
  },
  form: writtenElsewhere,
  // Clients of this dialect have no namespaces.
  namespace: notNeeded,
  // Thoughts carry signatures here, calls do not.
  opaque: notNeeded,
  path: notNeeded,
}

const nativeWriters: FieldWriters<NativePart, Context> = {
  raw: (_, _context, part) => ownBlock(part),
  summary: (text, _, part) => (text === '' || ownBlock(part) ? undefined : { type: 'text', text }),
  dialect: writtenElsewhere,
  kind: notNeeded,
  // Is in `raw`.
  opaque: notNeeded,
}

/** Answers have no media: `noteLosses`. Audio becomes its transcript. */
const mediaWriters: FieldWriters<MediaPart, Context> = {
  transcript: (text) => (text === '' ? undefined : { type: 'text', text }),
  kind: notNeeded,
  media: notNeeded,
  source: notNeeded,
  mimeType: notNeeded,
  name: notNeeded,
  title: notNeeded,
  detail: notNeeded,
  cache: notNeeded,
  opaque: notNeeded,
  extra: notNeeded,
  path: notNeeded,
}
