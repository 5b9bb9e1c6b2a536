/** How a writer refuses what its dialect cannot say: with the caller's own name for the field, and no value. */
import { GatewayError } from '#shared/errors'
import type { ConversationRequest } from './conversation.ts'

/**
 * The error for a field of `request` that this upstream cannot carry; `field` is canonical (`output.stop`). A part or turn
 * that knows its own place in the caller's body hands it in as `path`.
 */
export function cannotCarry(request: ConversationRequest, field: string, reason: string, path?: string): GatewayError {
  return new GatewayError('unsupported_value', reason, { param: path ?? request.paths?.[field] ?? field })
}
