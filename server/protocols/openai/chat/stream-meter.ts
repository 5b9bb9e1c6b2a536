/** Watches a Chat stream as it passes; what is Chat's own is where a choice keeps its text. */
import type { AnswerEdits, Meter } from '#canonical/codec'
import type { Gauge } from '#canonical/gauge'
import { measureMessage } from '../choice.ts'
import { chunkMeter } from '../chunk-meter.ts'

export function chatMeter(edits: AnswerEdits, hear?: Gauge['hear']): Meter {
  return chunkMeter(edits, measureMessage, hear)
}
