/** Times as text. */

const form = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i

/**
 * Whether text is a time of RFC 3339 that names one moment everywhere: with Z or an offset, of a day that there is. `Date.parse` reads it;
 * of others it makes the next month, or the time of this machine. Leap seconds are none.
 */
export function isInstant(text: string): boolean {
  const [year = 0, month = 0, day = 0] = (form.exec(text) ?? []).slice(1, 4).map(Number)
  // The 0th of the next month is the last of this one. Years count as in one four hundred years later, since 50 would mean 1950.
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year + 400, month, 0)).getUTCDate()
}
