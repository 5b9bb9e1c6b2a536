/** Reads answers of `/api/chat` and `/api/generate`, whole or as lines, for comparison. Pure. */
import type { SaidAnswer } from '#canonical/wording'
import { parseExactObject } from '#shared/exact-numbers'
import { isObject, type JsonObject } from '#shared/json'

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

function callsIn({ tool_calls: calls }: JsonObject): SaidAnswer['calls'] {
  return (Array.isArray(calls) ? calls : []).flatMap((call) => {
    const asked = isObject(call) ? call.function : undefined
    return isObject(asked) ? [{ name: textIn(asked.name), args: JSON.stringify(asked.arguments ?? {}) }] : []
  })
}

/** Undefined for anything else. */
export function readSaid(body: Uint8Array): SaidAnswer | undefined {
  const lines = new TextDecoder().decode(body).split('\n')
  const said: SaidAnswer = { text: '', calls: [], finish: null, error: null }
  let answered = false
  for (const line of lines) {
    const piece = parseExactObject(line)
    if (!piece) continue
    answered = true
    const message = isObject(piece.message) ? piece.message : {}
    said.text += textIn(message.content) || textIn(piece.response)
    said.calls.push(...callsIn(message))
    if (typeof piece.error === 'string') said.error = { code: 'error', message: piece.error }
    if (piece.done === true) said.finish = said.calls.length > 0 ? 'tool-calls' : textIn(piece.done_reason) || 'stop'
  }
  return answered ? said : undefined
}
