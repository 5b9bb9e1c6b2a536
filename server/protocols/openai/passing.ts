/** Shared by codecs of operations with only one style: the bytes pass, and nothing is converted. */
import type { Incoming, OperationEndpoint } from '#canonical/operation/operation'
import { GatewayError } from '#shared/errors'

/** The body as JSON text. Throws 415 for a form. */
export function jsonOf(body: Incoming): string {
  if (typeof body === 'string') return body
  throw new GatewayError('unsupported_media_type', 'The body must be JSON.')
}

function noOtherStyle(): never {
  throw new GatewayError('unsupported_endpoint', 'No channel of this model can serve this endpoint.', { param: 'model' })
}

/** The half of a codec that converts, for operations that are never converted: it refuses. */
export const passingOnly: Pick<OperationEndpoint<never, never>, 'readQuestion' | 'writeAnswer'> = {
  readQuestion: noOtherStyle,
  writeAnswer: noOtherStyle,
}
