import { ts } from './messages.ts'

const units = { h: 'lengthHours', d: 'lengthDays', w: 'lengthWeeks', mo: 'lengthMonths' } as const

/** The length of a plan's window, such as `5h`, as words. */
export function lengthOf(every: string): string {
  const unit = every.replace(/^\d+/, '') as keyof typeof units
  return ts(units[unit] ?? 'lengthHours', { count: Number.parseInt(every, 10) })
}
