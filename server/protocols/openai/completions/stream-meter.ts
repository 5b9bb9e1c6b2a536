/** Watches a Completions stream as it passes. */
import type { AnswerEdits, Meter } from '#canonical/codec'
import type { TokenEstimator } from '#canonical/token-estimator'
import { measureText } from '../choice.ts'
import { chunkMeter } from '../chunk-meter.ts'

/** The meter of a Completions stream; `hear` gets every text that is delivered. */
export function completionsMeter(edits: AnswerEdits, hear?: TokenEstimator['observe']): Meter {
  return chunkMeter(edits, { measure: measureText }, hear)
}
