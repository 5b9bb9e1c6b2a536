/** Parts of an answer in Gemini's form, streamed or whole. */
import type { CallPart, ConversationRequest, Opaque } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import type { Body } from '../proto-json.ts'
import { signatureIn } from './part.ts'

/** Thoughts are shown to a client that asked to see them; their signature goes out in any case. */
export function showsThoughts({ reasoning }: ConversationRequest): boolean {
  return reasoning.visible === 'summary' || reasoning.visible === 'full'
}

/** A part with nothing but a signature. It is called a thought, for clients drop a whole turn over a plain empty text. */
export function signedPart(opaque: readonly Opaque[]): Body[] {
  const signature = signatureIn(opaque)
  return Object.keys(signature).length > 0 ? [{ text: '', thought: true, ...signature }] : []
}

/** Arguments are an object here; what is none is handed on as text under `_raw`. */
export function writeCall({ callId, name, form, argsText, opaque }: Omit<CallPart, 'kind'>): Body {
  return { functionCall: { id: callId, name, args: argsOf(form, argsText) }, ...signatureIn(opaque) }
}

function argsOf(form: CallPart['form'], text: string): Body {
  if (form === 'text') return { input: text }
  return parseArgs(text) ?? { _raw: text }
}

/** The arguments as an object; no text is no arguments. Undefined for any other JSON, and for what is none. */
export function parseArgs(text: string): Body | undefined {
  if (text.trim() === '') return {}
  try {
    const args: unknown = JSON.parse(text)
    return isObject(args) ? args : undefined
  } catch {
    return undefined
  }
}

export function inlineData(mimeType: string | undefined, data: string): Body {
  return { inlineData: { mimeType: mimeType ?? 'application/octet-stream', data } }
}
