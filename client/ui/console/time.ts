/** Times for people: the clock today, the date before; relative only for last use. */
import { numberFormat, writeDate } from '#client/ui/formatters.ts'
import { language } from '#client/ui/language.ts'
import { isoDay } from '#client/ui/time-zone.ts'
import { tc } from './messages.ts'

const locale = () => (language() === 'zh' ? 'zh-CN' : 'en-GB')

const writeClock = (date: Date, seconds: boolean) =>
  writeDate(date, locale(), { hour: '2-digit', minute: '2-digit', ...(seconds && { second: '2-digit' }), hour12: false })

/** The clock with seconds. */
export const formatClock = (at: string): string => writeClock(new Date(at), true)

/** The clock for today, else the day and the clock; with the year if it is not the current one. `at` is RFC 3339. */
export function formatWhen(at: string, seconds = false): string {
  const date = new Date(at)
  const now = new Date()
  const clock = writeClock(date, seconds)
  if (isoDay(date) === isoDay(now)) return clock
  return `${formatDay(at)} ${clock.slice(0, 5)}`
}

/** A duration: milliseconds below a second, else seconds with up to two decimals. `ms` in milliseconds. */
export const formatDuration = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)} ms` : `${numberFormat(locale(), { maximumFractionDigits: ms < 10_000 ? 2 : 1 }).format(ms / 1_000)} s`

/** The day, with the year if it is not the current one. */
export function formatDay(at: string): string {
  // A date alone is already a local day, in whatever zone.
  const isDate = /^\d{4}-\d\d-\d\d$/.test(at)
  const date = new Date(at)
  const isThisYear = (isDate ? at : isoDay(date)).slice(0, 4) === isoDay(new Date()).slice(0, 4)
  const year = isThisYear ? {} : { year: 'numeric' as const }
  return writeDate(date, locale(), { day: 'numeric', month: 'short', ...year, ...(isDate && { timeZone: 'UTC' }) })
}

/** The hours of the day that begins at `start`, as two digits each; none without it. */
export const hoursFrom = (start: string | undefined): string[] =>
  start === undefined
    ? []
    : Array.from({ length: 24 }, (_, hour) => writeClock(new Date(Date.parse(start) + hour * 3_600_000), false).slice(0, 2))

/** Date, clock and milliseconds. */
export const formatExactly = (at: string): string => {
  const date = new Date(at)
  const day = writeDate(date, locale(), { day: 'numeric', month: 'short', year: 'numeric' })
  const clock = writeClock(date, true)
  return `${day} ${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** The exact time and the relative time as of now. */
export const formatBoth = (at: string): string => `${formatExactly(at)} (${formatAgo(at)})`

/** How long ago: "4 min ago", or how soon: "in 3 days". Null is "never". */
export function formatAgo(at: string | null): string {
  if (at === null) return tc('never')
  const minutes = Math.floor((Date.now() - Date.parse(at)) / 60_000)
  if (minutes < -1) return formatSoon(-minutes)
  if (minutes < 1) return tc('justNow')
  if (minutes < 60) return tc('minutesAgo', { count: minutes })
  if (minutes < 48 * 60) return tc('hoursAgo', { count: Math.floor(minutes / 60) })
  return tc('daysAgo', { count: Math.floor(minutes / 1440) })
}

function formatSoon(minutes: number): string {
  if (minutes < 60) return tc('inMinutes', { count: minutes })
  if (minutes < 48 * 60) return tc('inHours', { count: Math.floor(minutes / 60) })
  return tc('inDays', { count: Math.floor(minutes / 1440) })
}
