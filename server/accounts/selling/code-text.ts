/** The text form of a code: 24 letters and digits of Crockford's base 32, 120 random bits, in groups of four. Pure. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const length = 24

/** The code of 30 random hexadecimal digits, in readable form. */
export function codeOf(hex: string): string {
  let rest = BigInt(`0x${hex}`)
  let text = ''
  for (let n = 0; n < length; n++) {
    text = alphabet[Number(rest % 32n)] + text
    rest /= 32n
  }
  return text.replace(/(.{4})(?=.)/g, '$1-')
}

/** The letters and digits of a typed code: accepts lower case, spaces, O for 0, I or L for 1; undefined for anything else. */
export function codeLetters(typed: string): string | undefined {
  const letters = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  return letters.length === length && [...letters].every((letter) => alphabet.includes(letter)) ? letters : undefined
}
