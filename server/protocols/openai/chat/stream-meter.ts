/** Watches a Chat stream as it passes; what is Chat's own is where a choice keeps its text. */
import type { AnswerEdits, Meter } from '#canonical/codec'
import type { TokenEstimator } from '#canonical/token-estimator'
import { measureMessage, textOnly } from '../choice.ts'
import { chunkMeter } from '../chunk-meter.ts'

/** The meter of a Chat stream; `hear` gets every text that is delivered. */
export function chatMeter(edits: AnswerEdits, hear?: TokenEstimator['observe']): Meter {
  return chunkMeter(edits, { measure: measureMessage, textOnly }, hear)
}
