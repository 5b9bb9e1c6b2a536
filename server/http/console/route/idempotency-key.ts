/** Makes it safe to repeat a request that moves money. */
import { GatewayError } from '#shared/errors'

/** The Idempotency-Key header. Throws `missing_field`, `invalid_value`. */
export function readIdempotencyKey(request: Request): string {
  const param = 'Idempotency-Key'
  const key = request.headers.get(param)
  if (key === null)
    throw new GatewayError(
      'missing_field',
      'Send an Idempotency-Key header, so that a repeated request does not post the credit twice. Nothing was posted.',
      { param },
    )
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key
  throw new GatewayError('invalid_value', 'Idempotency-Key: expected 1 to 200 visible ASCII characters.', { param })
}
