/**
 * How many tokens a text is where the upstream does not say. What passes is measured in bytes, which costs next to nothing; a
 * bounded sample of it tells how many of them make a token, and is looked at only when nobody else said so.
 */

import type { Usage } from './usage.ts'

/** Tokens of so many bytes. */
export interface Scale {
  /** Of the request. */
  input(bytes: number): number
  /** Of what was delivered. */
  output(bytes: number): number
  /** False for what an upstream says that cannot be: then it is counted as if nothing had been said. Absent = anything can be. */
  isPlausible?(told: Omit<Usage, 'raw'>): boolean
}

export interface TokenEstimator extends Scale {
  /** Hears every text that is delivered; the same one may come twice. */
  observe(text: string): void
}

const quarter = (bytes: number) => Math.ceil(bytes / 4)

/** Four bytes a token. */
export const roughly: Scale = { input: quarter, output: quarter }
