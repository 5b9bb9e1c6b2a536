/** Which requests are stored: a key, its group or the installation opts in; none can opt out of another's setting. */
import type { KeepBodies } from '#shared/console/body'

/** The rule for one caller. */
export interface KeepRule {
  /** The share of its requests that is stored regardless of the outcome, in [0, 1]. */
  share: number
  /** Whether failed ones are also stored. */
  errors: boolean
}

/** The rule from the settings of the caller's key, group and installation; null and undefined are unset. */
export function keepRule(...settings: readonly (KeepBodies | null | undefined)[]): KeepRule {
  const shares = settings.map((keep) => (keep === true ? 1 : typeof keep === 'number' ? keep : 0))
  return { share: Math.max(0, ...shares), errors: settings.includes('errors') }
}

/** Whether to store a request always, if it fails, or not at all. `drawn`: a random number in [0, 1). */
export function keptFor({ share, errors }: KeepRule, drawn: number): 'always' | 'failed' | undefined {
  if (drawn < share) return 'always'
  return errors ? 'failed' : undefined
}
