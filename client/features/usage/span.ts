/** The periods of the usage page. */
import { dayOf, isoDay, midnightOf } from '#client/ui/time-zone.ts'

/** Named periods: so many days until now, and calendar months, as in accounting. */
export const spans = ['1', '7', '30', '90', '365', 'month', 'last-month'] as const
/** A named period. */
export type NamedSpan = (typeof spans)[number]
/** A period: a named one, or from one local day to another, both YYYY-MM-DD and inclusive. */
export type Span = NamedSpan | { first: string; last: string }

/** The most days that a report is about. */
const mostDays = 366
const mostHourly = 31
const dayMs = 86_400_000

/** The period in a URL: by name, or by dates, of which one may be missing. Thirty days by default. */
export function readSpan(name: string, from: string, to: string, now = new Date()): Span {
  if (from === '' && to === '') return spans.find((one) => one === name) ?? '30'
  const today = isoDay(now)
  const last = to === '' || to > today ? today : to
  const first = from === '' ? last : from
  const days = countOf(first, last)
  return days >= 1 && days <= mostDays ? { first, last } : '30'
}

/** The number of days, both included; NaN for an invalid date. */
function countOf(first: string, last: string): number {
  const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text)
  return isDay(first) && isDay(last) ? (Date.parse(last) - Date.parse(first)) / dayMs + 1 : Number.NaN
}

/** Whether its hours are few enough for a table. */
export const isShort = (span: Span): boolean => daysOf(span).days <= mostHourly

/** The days of a period: its first local midnight, the number of days until now or its end, and its end if it is over. */
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

/** The possible comparisons: with as many days right before, or with the same days of the week 52 weeks earlier. */
export const comparisons = ['before', 'year'] as const
/** A comparison. */
export type Comparison = (typeof comparisons)[number]

/** The period that it is compared with, of the same length. */
export function comparedWith(span: Span, comparison: Comparison, now = new Date()): { start: Date; end: Date } {
  const { start, days } = daysOf(span, now)
  const back = comparison === 'year' ? Math.max(364, days) : days
  const begin = daysBefore(start, back)
  return { start: begin, end: daysBefore(begin, -days) }
}

/** The local midnight so many days before `start`. */
export function daysBefore(start: Date, days: number): Date {
  const [year, month, day] = dayOf(start)
  return midnightOf(year, month, day - days)
}

function midnight(date: string): Date {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return midnightOf(year, month - 1, day)
}
