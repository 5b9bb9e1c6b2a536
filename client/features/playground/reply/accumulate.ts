/**
 * A reply assembled from Chat Completions chunks. Malformed chunks change nothing. Knows the wire format, and nothing about
 * time or screens.
 */
import { isRecord } from '#client/api/http.ts'
import type { ToolCall } from '#client/features/playground/conversation/conversation.ts'

/** What has arrived so far. */
export interface AccumulatedReply {
  text: string
  reasoning: string
  refusal: string
  calls: ToolCall[]
  finish: string | null
  answeredBy: string | null
  /** Prompt and completion tokens, when the stream reported them. */
  tokens: { in: number; out: number } | null
}

/** Nothing has arrived yet. */
export const emptyAccumulation = (): AccumulatedReply => ({
  text: '',
  reasoning: '',
  refusal: '',
  calls: [],
  finish: null,
  answeredBy: null,
  tokens: null,
})

/** Adds one parsed chunk (or a whole response, which is a chunk with `message`) to `into`. Returns whether content arrived. */
export function accumulate(into: AccumulatedReply, chunk: unknown): boolean {
  if (!isRecord(chunk)) return false
  if (typeof chunk.model === 'string' && chunk.model !== '') into.answeredBy = chunk.model
  readTokens(into, chunk.usage)
  const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
  if (!isRecord(choice)) return false
  if (typeof choice.finish_reason === 'string') into.finish = choice.finish_reason
  const delta = isRecord(choice.delta) ? choice.delta : isRecord(choice.message) ? choice.message : {}
  const text = textOf(delta.content)
  const reasoning = textOf(delta.reasoning_content) || textOf(delta.reasoning)
  const refusal = textOf(delta.refusal)
  into.text += text
  into.reasoning += reasoning
  into.refusal += refusal
  return accumulateCalls(into.calls, delta.tool_calls) || text !== '' || reasoning !== '' || refusal !== ''
}

function accumulateCalls(calls: ToolCall[], deltas: unknown): boolean {
  if (!Array.isArray(deltas)) return false
  for (const [position, delta] of deltas.entries()) {
    if (!isRecord(delta)) continue
    const called = isRecord(delta.function) ? delta.function : {}
    const call = callAt(calls, typeof delta.index === 'number' ? delta.index : position)
    if (typeof delta.id === 'string' && delta.id !== '') call.id = delta.id
    if (typeof called.name === 'string') call.name += called.name
    if (typeof called.arguments === 'string') call.arguments += called.arguments
  }
  return deltas.length > 0
}

function callAt(calls: ToolCall[], index: number): ToolCall {
  const place = Math.min(Math.max(index, 0), 127)
  while (calls.length <= place) calls.push({ id: '', name: '', arguments: '' })
  return calls[place] ?? { id: '', name: '', arguments: '' }
}

function readTokens(into: AccumulatedReply, usage: unknown): void {
  if (!isRecord(usage)) return
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  if (typeof prompt === 'number' && typeof completion === 'number') into.tokens = { in: prompt, out: completion }
}

/** Content is text, or a list of parts of which the text is kept. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isRecord(part) && typeof part.text === 'string' ? part.text : '')).join('')
}
