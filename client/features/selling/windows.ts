/** Windows of plans as text, and dates. */
import { isoDay, midnightOf } from '#client/ui/time-zone.ts'
import type { PlanWindow } from '#shared/console/selling'

/** Windows as lines of length and amount. */
export const windowLines = (windows: readonly PlanWindow[]): string => windows.map(({ every, amount }) => `${every} ${amount}`).join('\n')

/** The windows in such lines; malformed ones are left for the server to refuse. */
export const readWindows = (text: string): PlanWindow[] =>
  text
    .split(/[\n,;]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [every = '', amount = ''] = line.split(/[\s:]+/)
      return { every, amount: amount.replace(/^\$/, '') }
    })

/** The end of a day, given as a date, in the user's time zone. */
export function endOfDay(date: string): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  return new Date(midnightOf(year, month - 1, day + 1).getTime() - 1_000).toISOString()
}

/** The date so many days from now, as the value of a date field. */
export const dateIn = (days: number): string => isoDay(new Date(Date.now() + days * 86_400_000))
