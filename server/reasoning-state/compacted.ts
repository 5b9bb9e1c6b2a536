/**
 * Conversations that Parley compacted: the words that stand for what came before, in an envelope of the tenant's. In the
 * client's hands it is as opaque as a vendor's own; on its way to any upstream it is words again.
 */
import type { ConversationRequest, NativePart, Opaque, Part } from '#canonical/conversation'
import { GatewayError } from '#shared/errors'
import type { Envelopes } from './envelope.ts'

/** No upstream speaks this dialect when conversations are compacted, so no codec ever takes the words for its own state. */
const nobody = 'completions'

export const sealWords = (envelopes: Envelopes, tenant: string, words: string): string =>
  envelopes.wrap(tenant, 'responses', { dialect: nobody, kind: 'compaction', value: words }).value

/** Throws GatewayError `invalid_value` for an envelope that is not this tenant's or was changed. A vendor's own item stays as it is. */
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
      'The compacted conversation cannot be opened: it was changed, or made for another user or another server. Send the conversation itself instead.',
      path === undefined ? {} : { param: `${path}.encrypted_content` },
    )
  }
  return { ...request, turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map((part) => opened(part, turn.path)) })) }
}
