/** A request body, scanned once for all who read it. */
import type { RequestBody, ScannedBody } from '#canonical/codec'
import { scanObject } from '#wire/json-scan'

/** A body that was scanned before is not scanned again. Throws GatewayError for text that is no JSON object. */
export const scanned = (body: RequestBody): ScannedBody => (typeof body === 'string' ? scanObject(body) : body)
