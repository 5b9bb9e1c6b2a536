/** Watches a Completions stream as it passes. */
import type { AnswerEdits, Meter } from '#canonical/codec'
import type { Gauge } from '#canonical/gauge'
import { measureText } from '../choice.ts'
import { chunkMeter } from '../chunk-meter.ts'

export function completionsMeter(edits: AnswerEdits, hear?: Gauge['hear']): Meter {
  return chunkMeter(edits, measureText, hear)
}
