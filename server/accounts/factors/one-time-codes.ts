/**
 * Codes of authenticator apps: TOTP (RFC 6238) with SHA-1, six digits and thirty seconds, which every app supports. Computed by otpauth.
 */
import type { Random } from '#runtime/clock'

/** Bytes of a secret: as many as the digest has, as RFC 4226 recommends. */
const secretBytes = 20
const periodMs = 30_000
/** Steps by which a clock may be off, in either direction. */
const skew = 1

/** Loaded when first needed: most people have no app. */
const load = () => import('otpauth')

/** A new secret, base32. */
export async function newAppSecret(random: Random): Promise<string> {
  const { Secret } = await load()
  return Secret.fromHex(random.hex(secretBytes)).base32
}

/** The URI that an app reads from a QR code. */
export async function appUri(secret: string, issuer: string, label: string): Promise<string> {
  const { TOTP, Secret } = await load()
  return new TOTP({ issuer, label, secret: Secret.fromBase32(secret) }).toString()
}

/**
 * The time step of this code, within the allowed skew around `now` (milliseconds); undefined for any other text. The step
 * identifies the code, so that none is accepted twice.
 */
export async function stepOfCode(secret: string, code: string, now: number): Promise<number | undefined> {
  const digits = code.replace(/[\s-]/g, '')
  if (!/^\d{6}$/.test(digits)) return undefined
  const { TOTP, Secret } = await load()
  const delta = new TOTP({ secret: Secret.fromBase32(secret) }).validate({ token: digits, timestamp: now, window: skew })
  return delta === null ? undefined : Math.floor(now / periodMs) + delta
}
