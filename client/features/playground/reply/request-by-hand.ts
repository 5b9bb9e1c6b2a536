/** What the transcript needs to know of a request that the user edited as JSON. */
import { isRecord } from '#client/api/http.ts'

/** Group and model that the request names, else those of `otherwise`; and its last question, else undefined. */
export function readRequestByHand(
  body: string,
  otherwise: { group: string; model: string },
): { of: { group: string; model: string }; question: string | undefined } {
  const parsed = parse(body)
  const named = (field: 'group' | 'model') => (typeof parsed[field] === 'string' ? parsed[field] : otherwise[field])
  const messages: unknown[] = Array.isArray(parsed.messages) ? parsed.messages : []
  const last = messages.findLast((message) => isRecord(message) && message.role === 'user')
  const question = isRecord(last) && typeof last.content === 'string' ? last.content : undefined
  return { of: { group: named('group'), model: named('model') }, question }
}

function parse(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body)
    return isRecord(parsed) ? parsed : {}
  } catch {
    return {}
  }
}
