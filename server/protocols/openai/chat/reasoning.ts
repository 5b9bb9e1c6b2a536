/**
 * Reasoning on Chat, which has no official place for it: the text as `reasoning_content` (or `reasoning`), state that only its
 * issuer can read in `reasoning_details`, and on tool calls in `extra_content`. All three are conventions of many vendors. Magistral puts
 * it among the parts of the content (docs.mistral.ai, "Reasoning").
 */
import type { Opaque, ReasoningPart } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'
import { isObject } from '#shared/json'
import type { Body } from '../fields.ts'

/** The reasoning of a message or delta; undefined when it has none. `reasoning_content` and `reasoning` repeat the same text. */
export function readReasoning(piece: Body): ReasoningPart | undefined {
  const details = Array.isArray(piece.reasoning_details) ? piece.reasoning_details.filter(isObject) : []
  const plain = textOf(piece.reasoning_content) || textOf(piece.reasoning) || thinkingIn(piece.content)
  const fromDetails = details.map((detail) => textOf(detail.text) || textOf(detail.summary)).filter((text) => text !== '')
  const opaque = details.flatMap(readDetail)
  const text = fromDetails.length > 0 ? fromDetails : plain === '' ? [] : [plain]
  if (text.length === 0 && opaque.length === 0) return undefined
  const summary = details.some((detail) => textOf(detail.summary) !== '')
  return { kind: 'reasoning', text, form: text.length === 0 ? 'hidden' : summary ? 'summary' : 'full', opaque }
}

function thinkingIn(content: unknown): string {
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isObject(part) && part.type === 'thinking' ? texts(part.thinking) : '')).join('')
}

function texts(thinking: unknown): string {
  if (!Array.isArray(thinking)) return textOf(thinking)
  return thinking.map((piece) => (isObject(piece) ? textOf(piece.text) : '')).join('')
}

function readDetail(detail: Body): Opaque[] {
  const state: Opaque[] = []
  if (textOf(detail.signature) !== '') state.push({ dialect: 'chat', kind: 'signature', value: textOf(detail.signature) })
  if (textOf(detail.data) !== '') state.push({ dialect: 'chat', kind: 'encrypted', value: textOf(detail.data) })
  return state
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** Reasoning as requests and answers write it: `joined`, `writeDetails`. */
type Reasoning = WrittenFields<ReasoningPart, { text: 'written'; form: 'written'; opaque: 'written' }>

/** Reasoning as one text, with a blank line between segments and parts. */
export const joined = (parts: readonly Reasoning[]) => parts.flatMap((part) => part.text).join('\n\n')

/** The details of reasoning that carries state of this dialect; undefined when none does. */
export function writeDetails(parts: readonly Reasoning[]): Body[] | undefined {
  if (!parts.some((part) => part.opaque.some(isOwn))) return undefined
  const details: Body[] = []
  for (const part of parts) {
    const signature = part.opaque.find((state) => isOwn(state) && state.kind === 'signature')
    const field = part.form === 'summary' ? 'summary' : 'text'
    const segments: Body[] = part.text.map((text) => ({ type: `reasoning.${field}`, [field]: text }))
    const last = segments.at(-1) ?? { type: 'reasoning.text', text: '' }
    if (signature) details.push(...segments.slice(0, -1), { ...last, signature: signature.value })
    else details.push(...segments)
    for (const state of part.opaque) if (isOwn(state) && state !== signature) details.push(writeState(state))
  }
  return details.map((detail, index) => ({ ...detail, index }))
}

type State = WrittenFields<Opaque, { dialect: 'written'; value: 'written' }>

/** One piece of state as a detail of its own, as streams send it. */
export function writeState(state: State): Body {
  if (state.kind === 'signature') return { type: 'reasoning.text', text: '', signature: state.value }
  return { type: 'reasoning.encrypted', data: state.value }
}

/** True for state issued by this dialect. */
export const isOwn = (state: State) => state.dialect === 'chat'

/** The state that the `extra_content` of a tool call carries. */
export function readExtraContent(extra: unknown): Opaque[] {
  const google = isObject(extra) && isObject(extra.google) ? extra.google : {}
  const value = textOf(google.thought_signature)
  return value === '' ? [] : [{ dialect: 'chat', kind: 'thought-signature', value }]
}

/** The `extra_content` of a tool call that carries state; empty if it has none. */
export function writeExtraContent(opaque: readonly State[] | undefined): { extra_content?: Body } {
  const state = opaque?.find((one) => isOwn(one) && one.kind === 'thought-signature')
  return state ? { extra_content: { google: { thought_signature: state.value } } } : {}
}
