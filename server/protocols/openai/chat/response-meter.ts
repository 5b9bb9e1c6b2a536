/** A whole Chat answer that passes; only the place of a choice's text is specific to Chat. */
import type { AnswerEdits, WholeAnswer } from '#canonical/codec'
import type { TokenEstimator } from '#canonical/token-estimator'
import { measureMessage } from '../choice.ts'
import { readWholeAnswer } from '../whole.ts'

/** Throws GatewayError `upstream_error`, or the error inside a successful response. */
export function readWhole(body: string, edits: AnswerEdits, inputBytes: number, estimator?: TokenEstimator): WholeAnswer {
  return readWholeAnswer(body, edits, inputBytes, measureMessage, estimator)
}
