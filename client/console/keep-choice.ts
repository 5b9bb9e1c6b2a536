/** Which requests are kept, as the value of a choice. */
import type { KeepBodies } from '#shared/console/body'

/** The setting as the value of a choice. */
export const keepChoice = (keep: KeepBodies): string => (keep === true ? 'all' : keep === false || keep === 0 ? 'off' : String(keep))

/** The setting that a choice stands for. */
export function keepOf(choice: string): KeepBodies {
  if (choice === 'errors') return 'errors'
  return choice === 'all' ? true : choice === 'off' ? false : Number(choice)
}
