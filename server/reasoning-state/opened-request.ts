/** A request whose sealed state is opened, by whoever has the key. Pure. */
import type { ConversationRequest, Opaque } from '#canonical/conversation'
import { withWords } from './compacted.ts'
import { changeRequest } from './state-walk.ts'
import { withoutStatelessMarker } from './stateless-marker.ts'

/**
 * With every state as `open` gives it; undefined leaves it out. Throws GatewayError `invalid_value` for a compacted conversation that
 * does not open.
 */
export const openedRequest = (request: ConversationRequest, open: (opaque: Opaque) => Opaque | undefined): ConversationRequest =>
  changeRequest(withWords(request, open), (opaque) => withoutStatelessMarker(open(opaque)))
