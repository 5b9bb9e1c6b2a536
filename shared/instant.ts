/** Times as text. */

const form = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

/**
 * Whether text is an unambiguous RFC 3339 time: with Z or an offset, on an existing day. `Date.parse` reads it correctly; others it moves
 * to the next month, or reads in local time. Leap seconds are not accepted.
 */
export function isInstant(text: string): boolean {
  const [year = 0, month = 0, day = 0] = (form.exec(text) ?? []).slice(1, 4).map(Number)
  // The 0th of the next month is the last of this one. 400 years later the calendar is the same; 50 alone would mean 1950.
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year + 400, month, 0)).getUTCDate()
}
