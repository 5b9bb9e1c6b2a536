/**
 * Estimates tokens where the upstream reports none. Delivered text is measured in bytes, which is cheap; a bounded sample of it gives
 * the bytes per token, and is evaluated only when needed.
 */

import type { Usage } from './usage.ts'

/** Converts bytes to tokens. */
export interface Scale {
  /** Input tokens. */
  input(bytes: number): number
  /** Output tokens. */
  output(bytes: number): number
  /** False for implausible usage reported by an upstream, which is then estimated instead. Absent = all usage is plausible. */
  isPlausible?(reported: Omit<Usage, 'raw'>): boolean
}

/** Gets the delivered text. */
export interface TextListener {
  /** Takes every delivered text, and its length in UTF-8; the same one may come twice. */
  addText(text: string, bytes: number): void
}

/** A scale that learns from the delivered text. */
export interface TokenEstimator extends Scale, TextListener {}

const quarter = (bytes: number) => Math.ceil(bytes / 4)

/** Four bytes per token. */
export const roughly: Scale = { input: quarter, output: quarter }
