/** Meters a Completions stream as it passes. */
import type { AnswerEdits, Meter } from '#canonical/codec'
import type { TextListener } from '#canonical/token-estimator'
import { measureText } from '../choice.ts'
import { chunkMeter } from '../chunk-meter.ts'

/** The meter of a Completions stream; `listener` gets every delivered text. */
export function completionsMeter(edits: AnswerEdits, listener?: TextListener): Meter {
  return chunkMeter(edits, { measure: measureText }, listener)
}
