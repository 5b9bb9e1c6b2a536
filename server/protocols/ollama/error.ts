/** Errors in Ollama's envelope, which is one text. */
import type { WrittenError } from '#canonical/codec'
import { errorHeaders } from '#canonical/error-headers'
import type { GatewayError } from '#shared/errors'

/** A refusal; the endpoint adds the request id as a header. */
export const writeError = (error: GatewayError): WrittenError => ({
  status: error.status,
  headers: errorHeaders(error),
  body: JSON.stringify({ error: error.message }),
})
