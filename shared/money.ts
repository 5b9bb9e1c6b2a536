/**
 * Money is counted in nano-dollars (10^-9 USD) as bigint and written as decimal strings in USD. Ratios are integers in
 * millionths. Nothing here passes through a float.
 */

const decimal = /^(-?)(\d+)(?:\.(\d+))?$/

/** `text` times 10^places, as an integer. Throws RangeError when it is not a plain decimal or has more places. */
export function parseDecimal(text: string, places: number): bigint {
  const match = decimal.exec(text)
  const fraction = match?.[3] ?? ''
  if (!match || fraction.length > places) throw new RangeError(`not a decimal with up to ${places} places`)
  const value = BigInt(match[2] + fraction.padEnd(places, '0'))
  return match[1] === '-' ? -value : value
}

/** An integer divided by 10^places, as a plain decimal without trailing zeros: `1250000000n, 9` is `"1.25"`. */
export function formatDecimal(value: bigint, places: number): string {
  const sign = value < 0n ? '-' : ''
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '')
  return sign + whole + (fraction === '' ? '' : `.${fraction}`)
}

/** USD text as nano-dollars. Throws RangeError when it is not a decimal of at most 9 places. */
export const parseUsd = (text: string): bigint => parseDecimal(text, 9)
/** Nano-dollars as USD text. */
export const formatUsd = (nano: bigint): string => formatDecimal(nano, 9)
/** A ratio as millionths. Throws RangeError when it is not a decimal of at most 6 places. */
export const parseRatio = (text: string): bigint => parseDecimal(text, 6)
/** Millionths as the text of a ratio. */
export const formatRatio = (millionths: bigint): string => formatDecimal(millionths, 6)
