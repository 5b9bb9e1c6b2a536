/** Watches a Completions stream as it passes. */
import type { AnswerEdits, Meter } from '#canonical/codec'
import { measureText } from '../choice.ts'
import { chunkMeter } from '../chunk-meter.ts'

export function completionsMeter(edits: AnswerEdits): Meter {
  return chunkMeter(edits, measureText)
}
