/** Errors in Bedrock's envelope: a message, and its kind in a header. */
import type { WrittenError } from '#canonical/codec'
import { errorHeaders } from '#canonical/error-headers'
import type { GatewayError } from '#shared/errors'

const kinds: Readonly<Record<number, string>> = {
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
  504: 'ModelTimeoutException',
}

/** A refusal; the endpoint adds the request id as a header. */
export function writeError(error: GatewayError): WrittenError {
  const kind = kinds[error.status] ?? (error.status < 500 ? 'ValidationException' : 'InternalServerException')
  return {
    status: error.status,
    headers: { ...errorHeaders(error), 'x-amzn-errortype': kind },
    body: JSON.stringify({ message: error.message }),
  }
}
