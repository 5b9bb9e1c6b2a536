/**
 * Conversations compacted by Parley: the summary of the earlier turns, in an envelope of the tenant. For the client it is as opaque as a
 * vendor's own; for any upstream it becomes text again.
 */
import type { ConversationRequest, NativePart, Opaque, Part } from '#canonical/conversation'
import { GatewayError } from '#shared/errors'
import type { Envelopes } from './envelope.ts'

/** No upstream uses this dialect for compacted conversations, so no codec takes the summary for its own state. */
const nobody = 'completions'

/** The sealed summary. */
export const sealWords = (envelopes: Envelopes, tenant: string, words: string): string =>
  envelopes.wrap(tenant, 'responses', { dialect: nobody, kind: 'compaction', value: words }).value

/**
 * The request with its summaries as text. Throws GatewayError `invalid_value` for an envelope that is another tenant's or was
 * modified. A vendor's own item stays unchanged.
 */
export function withWords(request: ConversationRequest, unwrap: (opaque: Opaque) => Opaque | undefined): ConversationRequest {
  const opened = (part: Part, path: string | undefined): Part => {
    const state = part.kind === 'native' ? part.opaque?.find(({ kind }) => kind === 'compaction') : undefined
    return part.kind === 'native' && state ? open(part, state, path) : part
  }
  function open(part: NativePart, state: Opaque, path: string | undefined): Part {
    const inside = unwrap(state)
    if (inside === state) return part
    if (inside?.kind === 'compaction' && inside.dialect === nobody) return { kind: 'text', text: inside.value }
    throw new GatewayError(
      'invalid_value',
      'The compacted conversation cannot be decrypted: it was modified, or created for another user or by another server. Send the conversation itself instead.',
      path === undefined ? {} : { param: `${path}.encrypted_content` },
    )
  }
  return { ...request, turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map((part) => opened(part, turn.path)) })) }
}
