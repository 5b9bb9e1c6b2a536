/** Reads Converse answers, whole or as events, for comparison. Pure. */
import type { ComparableAnswer } from '#canonical/wording'
import { parseExactObject } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import { createEventStreamSplitter } from '#wire/event-stream'
import { parseObject } from '#wire/json-scan'
import type { Json } from '../frame.ts'

const finishes: Readonly<Record<string, string>> = {
  ...{ end_turn: 'stop', tool_use: 'tool-calls', max_tokens: 'length', stop_sequence: 'stop-sequence' },
  ...{ content_filtered: 'refusal', guardrail_intervened: 'content-filter', model_context_window_exceeded: 'context-full' },
}
const finishOf = (reason: unknown) => (typeof reason === 'string' ? (finishes[reason] ?? reason) : null)
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Undefined for anything else. */
export function readComparable(body: Uint8Array): ComparableAnswer | undefined {
  const answer = body[0] === 0x7b ? parseExactObject(new TextDecoder().decode(body)) : undefined
  if (!answer) return ofEvents(body)
  const message = isObject(answer.output) && isObject(answer.output.message) ? answer.output.message : undefined
  if (!message) return typeof answer.message === 'string' ? refused(answer.message) : undefined
  const blocks = listOf(message.content)
  const text = blocks.map((block) => textIn(block.text) || cited(block.citationsContent)).join('')
  const calls = blocks.flatMap(({ toolUse }) =>
    isObject(toolUse) ? [{ name: textIn(toolUse.name), args: JSON.stringify(toolUse.input ?? {}) }] : [],
  )
  return { text, calls, finish: finishOf(answer.stopReason), error: null }
}

const cited = (block: unknown) => (isObject(block) ? listOf(block.content).map(({ text }) => textIn(text)) : []).join('')
const refused = (message: string): ComparableAnswer => ({ text: '', calls: [], finish: null, error: { code: 'error', message } })

function ofEvents(body: Uint8Array): ComparableAnswer | undefined {
  const total: ComparableAnswer = { text: '', calls: [], finish: null, error: null }
  const frames = createEventStreamSplitter().push(body)
  for (const { event, data } of frames) {
    const fields = parseObject(data ?? '') ?? {}
    const start = isObject(fields.start) ? fields.start.toolUse : undefined
    const delta = isObject(fields.delta) ? fields.delta : {}
    if (isObject(start)) total.calls.push({ name: textIn(start.name), args: '' })
    total.text += textIn(delta.text)
    const call = total.calls.at(-1)
    if (call && isObject(delta.toolUse)) call.args += textIn(delta.toolUse.input)
    if (event === 'messageStop') total.finish = finishOf(fields.stopReason)
  }
  return frames.length > 0 ? total : undefined
}
