/** Reads answers of `/api/chat` and `/api/generate`, whole or as lines, for comparison. Pure. */
import type { ComparableAnswer } from '#canonical/wording'
import { parseExactObject } from '#shared/exact-numbers'
import { isObject, type JsonObject } from '#shared/json'

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

function callsIn({ tool_calls: calls }: JsonObject): ComparableAnswer['calls'] {
  return (Array.isArray(calls) ? calls : []).flatMap((call) => {
    const asked = isObject(call) ? call.function : undefined
    return isObject(asked) ? [{ name: textIn(asked.name), args: JSON.stringify(asked.arguments ?? {}) }] : []
  })
}

/** Undefined for anything else. */
export function readComparable(body: Uint8Array): ComparableAnswer | undefined {
  const lines = new TextDecoder().decode(body).split('\n')
  const answer: ComparableAnswer = { text: '', calls: [], finish: null, error: null }
  let answered = false
  for (const line of lines) {
    const piece = parseExactObject(line)
    if (!piece) continue
    answered = true
    const message = isObject(piece.message) ? piece.message : {}
    answer.text += textIn(message.content) || textIn(piece.response)
    answer.calls.push(...callsIn(message))
    if (typeof piece.error === 'string') answer.error = { code: 'error', message: piece.error }
    if (piece.done === true) answer.finish = answer.calls.length > 0 ? 'tool-calls' : textIn(piece.done_reason) || 'stop'
  }
  return answered ? answer : undefined
}
