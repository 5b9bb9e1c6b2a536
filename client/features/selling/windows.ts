/** Windows of plans as people write them, and dates. */
import type { PlanWindow } from '#shared/console/selling'

/** Windows as lines of a length and an amount. */
export const windowLines = (windows: readonly PlanWindow[]): string => windows.map(({ every, amount }) => `${every} ${amount}`).join('\n')

/** The windows of such lines; what is no window is left for the server to refuse. */
export const readWindows = (text: string): PlanWindow[] =>
  text
    .split(/[\n,;]/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [every = '', amount = ''] = line.split(/[\s:]+/)
      return { every, amount: amount.replace(/^\$/, '') }
    })

/** The end of a day, given as a date, in the reader's time zone. */
export const endOfDay = (date: string): string => new Date(`${date}T23:59:59`).toISOString()

/** A date so many days from now, as a field of dates has it. */
export function dateIn(days: number): string {
  const at = new Date(Date.now() + days * 86_400_000)
  return `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')}`
}
