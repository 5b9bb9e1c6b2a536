/** An authenticator app, as on a phone. */
import { Secret, TOTP } from 'otpauth'

/** The code that it shows for this secret (base32) at a time, in milliseconds since the epoch. */
export const appCode = (secret: string, timestamp = Date.now()): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })
