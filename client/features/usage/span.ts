/** The times of the usage page. */

/** The times that can be chosen: so many days until now, and calendar months, as accounts are kept. */
export const spans = ['1', '7', '30', '90', '365', 'month', 'last-month'] as const
/** A time. */
export type Span = (typeof spans)[number]

/** Whether its hours are few enough for a table. */
export const isShort = (span: Span): boolean => span !== '90' && span !== '365'

/** The days of a time: its first local midnight, how many days it has until now or its end, and its end where it is over. */
export function daysOf(span: Span, now = new Date()): { start: Date; days: number; end?: Date } {
  const [year, month, today] = [now.getFullYear(), now.getMonth(), now.getDate()]
  if (span === 'month') return { start: new Date(year, month, 1), days: today }
  if (span === 'last-month')
    return { start: new Date(year, month - 1, 1), days: new Date(year, month, 0).getDate(), end: new Date(year, month, 1) }
  return { start: new Date(year, month, today - (Number(span) - 1)), days: Number(span) }
}

/** The local midnight so many days before `start`. */
export const daysBefore = (start: Date, days: number): Date => new Date(start.getFullYear(), start.getMonth(), start.getDate() - days)
