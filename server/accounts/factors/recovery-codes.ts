/** Recovery codes: ten, of 80 random bits each, so that a plain digest without salt protects them. */
import type { Random } from '#runtime/clock'
import { sha256Hex } from '#runtime/secrets'

const count = 10
const bytes = 10
const length = 16
/** Crockford's base32, which has no letters that look like digits. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** New codes as people read them: `abcd-efgh-jkmn-pqrs`. */
export const newRecoveryCodes = (random: Random): string[] => Array.from({ length: count }, () => written(random.hex(bytes)))

function written(hex: string): string {
  const plain = BigInt(`0x${hex}`).toString(32).padStart(length, '0')
  const letters = [...plain].map((digit) => alphabet[Number.parseInt(digit, 32)]).join('')
  return letters.match(/.{4}/g)?.join('-') ?? letters
}

/** The digest under which a user's code is stored; typed codes may differ in case, look-alike letters, spaces and dashes. */
export function recoveryDigest(userId: string, code: string): string {
  const plain = code
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replace(/o/g, '0')
    .replace(/[il]/g, '1')
  return sha256Hex(`${userId}:${plain}`)
}
