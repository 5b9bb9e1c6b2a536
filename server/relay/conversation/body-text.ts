/** The body of a conversation, which is always text. */
import type { Body } from '#relay/contract/ask'
import { GatewayError } from '#shared/errors'

/** Throws GatewayError `unsupported_media_type` for a form. */
export function textOf({ content }: Body): string {
  if (typeof content !== 'string') throw new GatewayError('unsupported_media_type', 'The body must be JSON.')
  return content
}
