/** Which requests are kept: a key, its group or the house opts in, and nobody opts the others out. */
import type { KeepBodies } from '#shared/console/body'

/** What holds for one caller. */
export interface KeepRule {
  /** The share of its requests that is kept whatever becomes of them, in [0, 1]. */
  share: number
  /** Whether those that fail are kept besides. */
  errors: boolean
}

/** The rule of a caller whose key, group and house say this; null and undefined say nothing. */
export function keepRule(...said: readonly (KeepBodies | null | undefined)[]): KeepRule {
  const shares = said.map((keep) => (keep === true ? 1 : typeof keep === 'number' ? keep : 0))
  return { share: Math.max(0, ...shares), errors: said.includes('errors') }
}

/** What becomes of a request: kept, kept if it fails, or neither. `drawn`: a random number in [0, 1). */
export function keptFor({ share, errors }: KeepRule, drawn: number): 'always' | 'failed' | undefined {
  if (drawn < share) return 'always'
  return errors ? 'failed' : undefined
}
