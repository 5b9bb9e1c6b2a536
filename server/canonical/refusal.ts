/** The error of a writer whose dialect lacks a field: with the caller's name of the field, without its value. */
import { GatewayError } from '#shared/errors'
import type { ConversationRequest } from './conversation.ts'

/**
 * The error for a field of `request` that this upstream does not support; `field` is canonical (`output.stop`). A part or turn that
 * knows its position in the caller's body passes it as `path`.
 */
export function cannotCarry(request: ConversationRequest, field: string, reason: string, path?: string): GatewayError {
  return new GatewayError('unsupported_value', reason, { param: path ?? request.paths?.[field] ?? field })
}
