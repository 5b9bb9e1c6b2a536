/** What requests and answers share of a Gemini part: its signature, its media, and the kinds that have no canonical place. */
import type { CallPart, ConversationRequest, MediaPart, NativePart, Opaque } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'
import type { Fields } from '#protocols/codec/fields'
import { parseArguments } from '#shared/exact-numbers'
import type { GeminiPart } from '#shared/protocols/gemini/generate-content'
import { type Body, pick, pickObject, pickText } from '../proto-json.ts'

/** Kinds of media as the canonical conversation has them. */
export type MediaKind = MediaPart['media']

/** The canonical kind of media of a MIME type; anything but an image, audio or video is a document. */
export function mediaKind(mimeType: string): MediaKind {
  const [, kind] = /^(image|audio|video)\//i.exec(mimeType) ?? []
  return kind === undefined ? 'document' : (kind.toLowerCase() as MediaKind)
}

/** The thought signature of a part; any part may have one. */
export function signatureOf(part: Fields<GeminiPart>): Opaque[] {
  const value = part.textIf('thoughtSignature')
  return value ? [{ dialect: 'gemini', kind: 'thought-signature', value }] : []
}

type State = WrittenFields<Opaque, { dialect: 'written'; value: 'written' }>

/** The field for a signature of this dialect; signatures of others are translated before a codec sees them, or not at all. */
export function signatureIn(opaque: readonly State[] | undefined): Body {
  const own = opaque?.find(({ dialect, kind }) => dialect === 'gemini' && kind === 'thought-signature')
  return own ? { thoughtSignature: own.value } : {}
}

/** A part that only this dialect has, with a text for the others. */
export function nativePart(part: Body): NativePart {
  const summary = summaryOf(part)
  return { kind: 'native', dialect: 'gemini', raw: part, ...(summary !== undefined && { summary }) }
}

function summaryOf(part: Body): string | undefined {
  const code = pickObject(part, 'executableCode')
  if (code) return `\`\`\`${(pickText(code, 'language') ?? '').toLowerCase()}\n${pickText(code, 'code') ?? ''}\n\`\`\``
  const result = pickObject(part, 'codeExecutionResult')
  if (result) return pickText(result, 'output')
  const file = pickObject(part, 'fileData')
  return file && pickText(file, 'fileUri')
}

/** True for an empty part: no field, or only a flag or an empty text. */
export function isEmptyPart(part: Body): boolean {
  return Object.keys(part).every((key) => key === 'thought' || pick(part, key) === undefined || part[key] === '')
}

/** True when the client asked to see reasoning. Its signature is sent in any case. */
export function showsThoughts({ reasoning }: ConversationRequest): boolean {
  return reasoning.visible === 'summary' || reasoning.visible === 'full'
}

/**
 * A part with nothing but a signature; none when there is no signature. It is marked as a thought, because clients drop a whole turn over a
 * plain empty text.
 */
export function signedPart(opaque: readonly Opaque[]): Body[] {
  const signature = signatureIn(opaque)
  return Object.keys(signature).length > 0 ? [{ text: '', thought: true, ...signature }] : []
}

/** A call with its signature. Arguments that are not a JSON object are passed on as text under `_raw`. */
export function writeCall({ callId, name, form, argsText, opaque }: Omit<CallPart, 'kind'>): Body {
  return { functionCall: { id: callId, name, args: argsOf(form, argsText) }, ...signatureIn(opaque) }
}

function argsOf(form: CallPart['form'], text: string): Body {
  if (form === 'text') return { input: text }
  return parseArgs(text) ?? { _raw: text }
}

/** The arguments as an object; an empty text means no arguments. Undefined for anything else. */
export function parseArgs(text: string): Body | undefined {
  return text.trim() === '' ? {} : parseArguments(text)
}

/** The part for media whose bytes are at hand; `data` is base64. */
export function inlineData(mimeType: string | undefined, data: string): Body {
  return { inlineData: { mimeType: mimeType ?? 'application/octet-stream', data } }
}

/** Whether an answer or a request may have function calls. */
export const hasCall = (json: string): boolean => json.includes('functionCall') || json.includes('function_call')
