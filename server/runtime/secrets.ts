/**
 * Cryptography: digests for keys and sessions, encryption for secrets that must be read again, hashing for passwords. Nothing here keeps a
 * secret longer than the call, and no error contains one.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '#shared/errors'
import { platform } from './platform.ts'

/** SHA-256 of text (as UTF-8), hexadecimal. For secrets with full entropy only; passwords need `hashPassword`. */
export const sha256Hex = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

/** SHA-256 of bytes that come in pieces, hexadecimal. Rejects as they do. */
export async function sha256OfPieces(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

/** MD5 of bytes that come in pieces, hexadecimal: for clients that compare it with theirs, never for security. Rejects as they do. */
export async function md5OfPieces(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('md5')
  for await (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}

/** Whether two texts are equal, in time that does not depend on where they differ or how long they are. */
export const equalSecrets = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

const digest = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest()

/** Seals text under the master key. `aad` is the identity of its row: sealed text moved to another row does not open. */
export interface Sealer {
  seal(text: string, aad: string): string
  /** A key for one purpose, as 64 hexadecimal digits, for another sealer: the master key cannot be derived from it. */
  derive(purpose: string): string
  /** Throws GatewayError `internal_error` for another key, another row, or changed text. */
  open(sealed: string, aad: string): string
}

const ivBytes = 12
const tagBytes = 16

/**
 * AES-256-GCM, written as `v1.<key id>.<base64 of iv, text and tag>`; the key id tells a wrong master key from a damaged row.
 * `masterKeyHex` is 64 hexadecimal digits; anything else throws `internal_error`.
 */
export function sealer(masterKeyHex: string): Sealer {
  if (!/^[0-9a-fA-F]{64}$/.test(masterKeyHex)) throw new GatewayError('internal_error', 'The master key must be 64 hexadecimal digits.')
  const key = Buffer.from(masterKeyHex, 'hex')
  const keyId = createHash('sha256').update('parley key id').update(key).digest('hex').slice(0, 8)
  return {
    seal(text, aad) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(aad, 'utf8'))
      const body = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `v1.${keyId}.${body.toString('base64')}`
    },
    derive: (purpose) => Buffer.from(hkdfSync('sha256', key, new Uint8Array(), `parley ${purpose}`, 32)).toString('hex'),
    open(sealed, aad) {
      const [version, sealedBy, text, ...rest] = sealed.split('.')
      if (version !== 'v1' || text === undefined || rest.length > 0) throw unreadable('It is not sealed in a form that is known.')
      if (sealedBy !== keyId) throw unreadable('It was sealed with another master key.')
      return decipher(key, Buffer.from(text, 'base64'), aad)
    },
  }
}

function decipher(key: Buffer, body: Buffer, aad: string): string {
  try {
    const opener = createDecipheriv('aes-256-gcm', key, body.subarray(0, ivBytes), { authTagLength: tagBytes })
    opener.setAAD(Buffer.from(aad, 'utf8')).setAuthTag(body.subarray(-tagBytes))
    return Buffer.concat([opener.update(body.subarray(ivBytes, -tagBytes)), opener.final()]).toString('utf8')
  } catch (cause) {
    throw unreadable('It was changed or belongs to another row.', cause)
  }
}

const unreadable = (why: string, cause?: unknown) =>
  new GatewayError('internal_error', `A stored secret cannot be opened. ${why}`, { cause })

// OWASP's minimum for argon2id. Each hash takes this memory while it runs, hence the limit on how many do.
const passwordCost = { memoryCost: 19_456, timeCost: 2 }
const atOnce = 4
const mayWait = 64

let running = 0
const waiting: (() => void)[] = []

/** argon2id with a fresh salt, as one text that includes its parameters. Throws `overloaded` when too many are waiting. */
export const hashPassword = (password: string): Promise<string> => withinLimit(() => platform.hashPassword(password, passwordCost))

/** Whether the password matches this hash; false for a hash of unknown format. Throws `overloaded` when too many are waiting. */
export const verifyPassword = (password: string, hash: string): Promise<boolean> =>
  withinLimit(() => platform.verifyPassword(password, hash).catch(() => false))

async function withinLimit<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= mayWait) throw new GatewayError('overloaded', 'Too many sign-ins at once. Try again shortly.', { retryAfter: 1 })
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else running++
  try {
    return await work()
  } finally {
    // The slot passes to the next in the queue, and is released only when the queue is empty.
    const next = waiting.shift()
    if (next === undefined) running--
    else next()
  }
}
