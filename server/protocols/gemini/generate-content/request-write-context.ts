/** The context shared by the writers of one request. */
import type { Target } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'

/** The state of writing one request. */
export interface RequestContext {
  request: ConversationRequest
  target: Target
  losses: LossList
}

/** The caller's value of a field that only this dialect has; undefined if not set. */
export function ownField({ request }: RequestContext, name: string): unknown {
  return request.extensions.gemini?.[name]
}

/** The fields of this dialect below `prefix` (`generationConfig.`), by the rest of their names. */
export function ownFields({ request }: RequestContext, prefix: string): Record<string, unknown> {
  const all = Object.entries(request.extensions.gemini ?? {}).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(all.map(([name, value]) => [name.slice(prefix.length), value]))
}
