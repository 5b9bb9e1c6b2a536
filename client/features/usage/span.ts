/** The times of the usage page. */
import { dayOf, midnightOf } from '#client/ui/time-zone.ts'

/** The times that can be chosen: so many days until now, and calendar months, as accounts are kept. */
export const spans = ['1', '7', '30', '90', '365', 'month', 'last-month'] as const
/** A time. */
export type Span = (typeof spans)[number]

/** Whether its hours are few enough for a table. */
export const isShort = (span: Span): boolean => span !== '90' && span !== '365'

/** The days of a time: its first midnight of the reader, how many days it has until now or its end, and its end where it is over. */
export function daysOf(span: Span, now = new Date()): { start: Date; days: number; end?: Date } {
  const [year, month, today] = dayOf(now)
  if (span === 'month') return { start: midnightOf(year, month, 1), days: today }
  if (span === 'last-month')
    return {
      start: midnightOf(year, month - 1, 1),
      days: new Date(Date.UTC(year, month, 0)).getUTCDate(),
      end: midnightOf(year, month, 1),
    }
  return { start: midnightOf(year, month, today - (Number(span) - 1)), days: Number(span) }
}

/** The midnight of the reader so many days before `start`. */
export function daysBefore(start: Date, days: number): Date {
  const [year, month, day] = dayOf(start)
  return midnightOf(year, month, day - days)
}
