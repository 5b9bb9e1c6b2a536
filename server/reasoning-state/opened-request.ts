/** Opens the sealed state of a request with a given function. Pure. */
import type { ConversationRequest, Opaque } from '#canonical/conversation'
import { withWords } from './compacted.ts'
import { changeRequest } from './state-walk.ts'
import { withoutStatelessMarker } from './stateless-marker.ts'

/**
 * Replaces every state by the result of `open`; undefined removes it. Throws GatewayError `invalid_value` for a compacted conversation that
 * cannot be opened.
 */
export const openedRequest = (request: ConversationRequest, open: (opaque: Opaque) => Opaque | undefined): ConversationRequest =>
  changeRequest(withWords(request, open), (opaque) => withoutStatelessMarker(open(opaque)))
