/** Which passwords are refused: those that attackers guess first. Length is checked by the schemas. */
import { GatewayError } from '#shared/errors'

/** Shorter ones are already refused by their length. */
const shortest = 8
/** A password that is a guessable word and at most this many other characters is guessable too. */
const spare = 3

let list: Promise<ReadonlySet<string>> | undefined

/** Common passwords in lower case: about 18,000 of 8 characters or more, from some 49,000 that leaked most often. Loaded once, 25 ms. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  list ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].filter((word) => word.length >= shortest)),
  )
  return list
}

/**
 * Throws `weak_password` at `param` for a common password, one repeated character, and the user's or the product's name with little
 * around it. `what` begins the message.
 */
export async function demandStrongPassword(password: string, name: string, param = 'password', what = 'This password'): Promise<void> {
  if (await isWeak(password, name)) {
    throw new GatewayError('weak_password', `${what} is easy to guess: it is common, or little more than a name.`, { param })
  }
}

/** Whether the password is one that attackers guess first. */
export async function isWeak(password: string, name: string): Promise<boolean> {
  const word = password.normalize('NFC').toLowerCase()
  if (new Set(word).size === 1) return true
  if ([name.normalize('NFC').toLowerCase(), 'parley'].some((known) => known !== '' && isMostly(word, known))) return true
  return (await commonPasswords()).has(word)
}

function isMostly(word: string, known: string): boolean {
  return word.includes(known) && word.replaceAll(known, '').length <= spare
}
