/**
 * What keeps a conversation where it was, so that its prompt cache stays warm: the name of its session, which agents send in
 * a header, then what its body names. A preference only; retry and health work as without it.
 */
import type { Head } from '#canonical/codec'
import type { Ask } from '#relay/contract/ask'
import type { AffinityScope } from '#routing/affinity'

/** As code agents and their SDKs spell it, the most exact first. */
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

/** One session asks a small model for titles and a large one for answers: each stays where it is. */
export const affinityScope = ({ caller, operation }: Pick<Ask, 'caller' | 'operation'>, model: string): AffinityScope => [
  caller.user.id,
  `${operation} ${model}`,
]
