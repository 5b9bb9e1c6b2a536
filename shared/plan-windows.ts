/** The windows of a plan: lengths of time that follow each other from the moment the plan began. Pure. */
import type { HeldPlan } from './console/selling.ts'

const hourMs = 3_600_000
const lengths = { h: hourMs, d: 24 * hourMs, w: 7 * 24 * hourMs } as const

/** Whether the plan is in force at `now` (milliseconds since 1970). */
export const inForce = ({ from, until }: Pick<HeldPlan, 'from' | 'until'>, now: number): boolean =>
  Date.parse(from) <= now && now < Date.parse(until)

/** The window of this length (`5h`, `30d`, `1w`, `1mo`) that `now` is in, which is not before `from`. Its end is that of its length, even if the plan ends before. */
export function windowAt(every: string, from: Date, now: number): { from: Date; until: Date } {
  const count = Number.parseInt(every, 10)
  const unit = every.replace(/^\d+/, '')
  if (unit === 'mo') return monthsAt(count, from, now)
  const length = count * lengths[unit as keyof typeof lengths]
  const begin = from.getTime() + Math.floor((now - from.getTime()) / length) * length
  return { from: new Date(begin), until: new Date(begin + length) }
}

/** Calendar months (UTC): after a window that began on the 31st, the next begins on the last day of a shorter month. */
function monthsAt(count: number, from: Date, now: number): { from: Date; until: Date } {
  const begin = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO('UTC')
  const at = (n: number) => begin.add({ months: n * count }).epochMilliseconds
  const today = new Date(now)
  let n = Math.floor(((today.getUTCFullYear() - from.getUTCFullYear()) * 12 + today.getUTCMonth() - from.getUTCMonth()) / count)
  if (at(n) > now) n -= 1
  return { from: new Date(at(n)), until: new Date(at(n + 1)) }
}

/** Most days that a window of this length can have. */
export function longestWindow(every: string): number {
  const count = Number.parseInt(every, 10)
  return every.endsWith('mo') ? count * 31 : (count * lengths[every.replace(/^\d+/, '') as keyof typeof lengths]) / lengths.d
}
