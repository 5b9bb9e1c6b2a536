/** Meters a Chat stream as it passes; only the place of a choice's text is specific to Chat. */
import type { AnswerEdits, Meter } from '#canonical/codec'
import type { TextListener } from '#canonical/token-estimator'
import { measureMessage, textOnly } from '../choice.ts'
import { chunkMeter } from '../chunk-meter.ts'

/** The meter of a Chat stream; `listener` gets every delivered text. */
export function chatMeter(edits: AnswerEdits, listener?: TextListener): Meter {
  return chunkMeter(edits, { measure: measureMessage, textOnly }, listener)
}
