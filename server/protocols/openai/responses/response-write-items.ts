/** The shapes of output items, for whole answers and for the final objects of streams. */
import type { CallPart, Citation, ConversationRequest, Phase, ReasoningPart, TokenLogprob } from '#canonical/conversation'
import { writeAnnotation } from './citations.ts'

export type Item = Record<string, unknown>
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export const messageItem = (id: string, status: ItemStatus, content: Item[], phase?: Phase): Item => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content,
  ...(phase && { phase }),
})

export function textContent(text: string, citations: readonly Citation[] = [], logprobs: readonly TokenLogprob[] = []): Item {
  const annotations = citations.flatMap((citation) => writeAnnotation(citation, text.length) ?? [])
  return { type: 'output_text', text, annotations, logprobs: writeLogprobs(logprobs) }
}

export const refusalContent = (refusal: string): Item => ({ type: 'refusal', refusal })

/** A client that asked for summaries looks for the reasoning there, and nowhere else: a full text is told as one. */
export const shownForm = (form: ReasoningPart['form'], { reasoning }: ConversationRequest): ReasoningPart['form'] =>
  form === 'full' && reasoning.visible === 'summary' ? 'summary' : form

/** The state stands only in an item that is complete. */
export function reasoningItem(id: string, { text, form, opaque }: Omit<ReasoningPart, 'kind'>): Item {
  const state = opaque.findLast(({ dialect, kind }) => dialect === 'responses' && kind === 'encrypted')
  return {
    id,
    type: 'reasoning',
    summary: form === 'summary' ? text.map((segment) => ({ type: 'summary_text', text: segment })) : [],
    ...(form === 'full' && { content: text.map((segment) => ({ type: 'reasoning_text', text: segment })) }),
    ...(state && { encrypted_content: state.value }),
  }
}

export function callItem(id: string, status: ItemStatus, call: Omit<CallPart, 'kind'>): Item {
  const head = { id, status, call_id: call.callId, name: call.name, ...(call.namespace !== undefined && { namespace: call.namespace }) }
  return call.form === 'text'
    ? { type: 'custom_tool_call', ...head, input: call.argsText }
    : { type: 'function_call', ...head, arguments: call.argsText }
}

/** Function arguments that were never written are those of a function without any. */
export const wholeArguments = (form: CallPart['form'], argsText: string) => (form === 'json' && argsText === '' ? '{}' : argsText)

/** `result` is base64; `without` is the status of an item that has none. */
export function imageItem(id: string, without: 'in_progress' | 'failed', result: string | undefined, mimeType: string | undefined): Item {
  const format = mimeType?.startsWith('image/') ? mimeType.slice('image/'.length).replace('svg+xml', 'svg') : 'png'
  const status = result === undefined ? without : 'completed'
  return { id, type: 'image_generation_call', status, result: result ?? null, output_format: format }
}

export const writeLogprobs = (entries: readonly TokenLogprob[]) =>
  entries.map(({ top, ...token }) => ({
    ...token,
    bytes: token.bytes ?? [],
    top_logprobs: top.map((one) => ({ ...one, bytes: one.bytes ?? [] })),
  }))

/** Prefixes of ids, by the kind of an item. */
export const idPrefix = { message: 'msg_', reasoning: 'rs_', json: 'fc_', text: 'ctc_', image: 'ig_', native: 'item_' } as const
