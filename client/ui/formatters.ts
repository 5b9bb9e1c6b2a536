import { timeZone } from './time-zone.ts'

/**
 * Cached Intl formatters: creating one takes longer than a hundred uses, which is noticeable in a live list of two hundred rows.
 */

const numbers = new Map<string, Intl.NumberFormat>()
const dates = new Map<string, Intl.DateTimeFormat>()

/** The number format of a language with these options; the same object for the same arguments. */
export const numberFormat = (locale: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat =>
  kept(numbers, locale, options, () => new Intl.NumberFormat(locale, options))

/** A time in a language and the user's zone, by these options; a dash for an invalid time. `at` in milliseconds since the epoch. */
export const writeDate = (at: Date | number, locale: string, options: Intl.DateTimeFormatOptions): string =>
  Number.isNaN(Number(at)) ? '–' : dateFormat(locale, { timeZone: timeZone(), ...options }).format(at)

const dateFormat = (locale: string, options: Intl.DateTimeFormatOptions) =>
  kept(dates, locale, options, () => new Intl.DateTimeFormat(locale, options))

function kept<Format>(formats: Map<string, Format>, locale: string, options: object, make: () => Format): Format {
  const name = `${locale} ${JSON.stringify(options)}`
  let format = formats.get(name)
  if (format === undefined) {
    format = make()
    formats.set(name, format)
  }
  return format
}
