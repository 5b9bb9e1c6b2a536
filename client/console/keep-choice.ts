/** The setting "which requests are kept" as the value of a select. */
import type { KeepBodies } from '#shared/console/body'

/** The select value for a setting. */
export const keepChoice = (keep: KeepBodies): string => (keep === true ? 'all' : keep === false || keep === 0 ? 'off' : String(keep))

/** The setting for a select value. */
export function keepOf(choice: string): KeepBodies {
  if (choice === 'errors') return 'errors'
  return choice === 'all' ? true : choice === 'off' ? false : Number(choice)
}
