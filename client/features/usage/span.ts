/** The times of the usage page. */
import { dayOf, isoDay, midnightOf } from '#client/ui/time-zone.ts'

/** The times that have a name: so many days until now, and calendar months, as accounts are kept. */
export const spans = ['1', '7', '30', '90', '365', 'month', 'last-month'] as const
/** A time that has a name. */
export type NamedSpan = (typeof spans)[number]
/** A time: one that has a name, or from one day of the reader to another, both YYYY-MM-DD and part of it. */
export type Span = NamedSpan | { first: string; last: string }

/** The most days that a report is about. */
const mostDays = 366
const mostHourly = 31
const dayMs = 86_400_000

/** The time that an address asks for: by its name, or by days, of which one may be missing. Thirty days where it asks for none. */
export function readSpan(name: string, from: string, to: string, now = new Date()): Span {
  if (from === '' && to === '') return spans.find((one) => one === name) ?? '30'
  const today = isoDay(now)
  const last = to === '' || to > today ? today : to
  const first = from === '' ? last : from
  const days = countOf(first, last)
  return days >= 1 && days <= mostDays ? { first, last } : '30'
}

/** How many days these are, both counted; not a number for what is no day. */
function countOf(first: string, last: string): number {
  const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text)
  return isDay(first) && isDay(last) ? (Date.parse(last) - Date.parse(first)) / dayMs + 1 : Number.NaN
}

/** Whether its hours are few enough for a table. */
export const isShort = (span: Span): boolean => daysOf(span).days <= mostHourly

/** The days of a time: its first midnight of the reader, how many days it has until now or its end, and its end where it is over. */
export function daysOf(span: Span, now = new Date()): { start: Date; days: number; end?: Date } {
  const [year, month, today] = dayOf(now)
  if (typeof span === 'object') {
    const days = countOf(span.first, span.last)
    const start = midnight(span.first)
    return { start, days, ...(span.last < isoDay(now) && { end: daysBefore(start, -days) }) }
  }
  if (span === 'month') return { start: midnightOf(year, month, 1), days: today }
  if (span === 'last-month')
    return {
      start: midnightOf(year, month - 1, 1),
      days: new Date(Date.UTC(year, month, 0)).getUTCDate(),
      end: midnightOf(year, month, 1),
    }
  return { start: midnightOf(year, month, today - (Number(span) - 1)), days: Number(span) }
}

/** What it can be compared with: as many days right before, or the same days of the week 52 weeks earlier. */
export const comparisons = ['before', 'year'] as const
/** What it is compared with. */
export type Comparison = (typeof comparisons)[number]

/** The time that it is compared with, as long as it is. */
export function comparedWith(span: Span, comparison: Comparison, now = new Date()): { start: Date; end: Date } {
  const { start, days } = daysOf(span, now)
  const back = comparison === 'year' ? Math.max(364, days) : days
  const begin = daysBefore(start, back)
  return { start: begin, end: daysBefore(begin, -days) }
}

/** The midnight of the reader so many days before `start`. */
export function daysBefore(start: Date, days: number): Date {
  const [year, month, day] = dayOf(start)
  return midnightOf(year, month, day - days)
}

function midnight(date: string): Date {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return midnightOf(year, month - 1, day)
}
