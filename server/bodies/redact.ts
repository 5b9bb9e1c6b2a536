/**
 * Blanks what must not be stored, before anything is written. Every character is replaced by one of the same length, so that the offsets
 * of pieces stay valid. Streamed text is examined as it arrived: a value split between two events is not found.
 */
import { blankFields, type FieldPath } from './redact-fields.ts'

/** What is blanked in addition to credentials, which always are. */
export interface RedactRules {
  /** Fields, as `fieldPath` reads them. */
  fields: readonly FieldPath[]
  /** Card and bank account numbers with valid check digits. */
  numbers: boolean
}

/** Beginning of a word, not inside encoded bytes. */
const apart = '(?<![A-Za-z0-9_/+.-])'

/** Credentials by their documented formats. */
const credentials = new RegExp(
  [
    `${apart}(?:sk|pk|rk|gsk|xai|hf|r8|nvapi|pplx|fw|tgp)[-_][A-Za-z0-9_-]{16,}`,
    `${apart}AIza[0-9A-Za-z_-]{35}`,
    `${apart}A(?:KIA|SIA)[0-9A-Z]{16}(?![0-9A-Z])`,
    `${apart}(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}|glpat-[A-Za-z0-9_-]{20,})`,
    `${apart}xox[abeprs]-[A-Za-z0-9-]{10,}`,
    `${apart}eyJ[A-Za-z0-9_-]{10,}\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{10,}`,
    '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\\s\\S]{1,10000}?-----END [A-Z ]{0,30}PRIVATE KEY-----',
  ].join('|'),
  'g',
)

const cardLike = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])/g
const accountLike = /(?<![\w-])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![\w-])/g

/** The redacted body; undefined when there is nothing to blank. */
export function redacted(body: Uint8Array, rules: RedactRules): Uint8Array | undefined {
  // One character for each byte: offsets in the text are offsets in the body.
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1')
  let changed = text.replace(credentials, blank)
  if (rules.numbers) {
    changed = changed.replace(cardLike, (found) => (isCard(found) ? blank(found) : found))
    changed = changed.replace(accountLike, (found) => (isAccount(found) ? blank(found) : found))
  }
  if (rules.fields.length > 0) changed = blankFields(changed, rules.fields)
  return changed === text ? undefined : Buffer.from(changed, 'latin1')
}

const blank = (found: string) => '*'.repeat(found.length)

/** Luhn check, for numbers whose digits are not all equal. */
function isCard(found: string): boolean {
  const digits = found.replace(/\D/g, '')
  if (/^(\d)\1*$/.test(digits)) return false
  let sum = 0
  for (let n = 0; n < digits.length; n++) {
    const digit = Number(digits[digits.length - 1 - n])
    const doubled = n % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** The check digits of an IBAN. */
function isAccount(found: string): boolean {
  const bare = found.replaceAll(' ', '')
  if (bare.length < 15 || bare.length > 34) return false
  let rest = 0
  for (const sign of bare.slice(4) + bare.slice(0, 4)) rest = Number(`${rest}${Number.parseInt(sign, 36)}`) % 97
  return rest === 1
}
