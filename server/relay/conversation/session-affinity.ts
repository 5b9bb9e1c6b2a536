/**
 * Keeps a conversation on its channel, so that its prompt cache stays warm: by the session id that agents send in a header, then by what
 * the body names. A preference only; retry and health work as without it.
 */
import type { Head } from '#canonical/codec'
import type { Ask } from '#relay/contract/ask'
import type { AffinityScope } from '#routing/affinity'

/** The headers of coding agents and their SDKs, most specific first. */
const sessionHeaders = [
  'x-session-id',
  'session-id',
  'session_id',
  'x-session-affinity',
  'x-conversation-id',
  'conversation-id',
  'conversation_id',
  'thread-id',
  'x-claude-code-session-id',
]
const longest = 512

/** Names of this conversation, best first. */
export function sessionNames({ headers }: Pick<Ask, 'headers'>, { affinity }: Pick<Head, 'affinity'>): string[] {
  const names: string[] = []
  for (const header of sessionHeaders) {
    const value = headers.get(header)
    if (value !== null && value !== '' && value.length <= longest && !names.includes(value)) names.push(value)
  }
  for (const name of affinity) if (!names.includes(name)) names.push(name)
  return names
}

/** One session may ask a small model for titles and a large one for answers: each has its own affinity. */
export const affinityScope = ({ caller, operation }: Pick<Ask, 'caller' | 'operation'>, model: string): AffinityScope => [
  caller.user.id,
  `${operation} ${model}`,
]
