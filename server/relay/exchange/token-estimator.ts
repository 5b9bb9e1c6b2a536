/** Counts the tokens of one attempt where its upstream does not report them. */

import { createTokenEstimator } from '#billing/tokens/tokenizer'
import { roughly, type Scale, type TokenEstimator } from '#canonical/token-estimator'
import type { Asked } from '#relay/contract/steps'
import type { Candidate } from '#routing/order'
import type { Log } from '#runtime/log'
import { plausibilityOf } from './usage-plausibility.ts'

/** `raw` is the body as the client sent it. */
export function estimatorOf(log: Log, asked: Asked, raw: string, candidate: Candidate): TokenEstimator {
  const { inputBytes, media } = asked.head
  const estimator = createTokenEstimator(candidate.model.upstream, () => ({ body: raw, bytes: inputBytes, hasFiles: media.length > 0 }))
  return { ...estimator, isPlausible: plausibilityOf(log, asked, candidate) }
}

/** A rough estimator, four bytes per token, with the same plausibility check of the upstream's reports. */
export const roughlyAs = ({ isPlausible }: TokenEstimator): Scale => ({ ...roughly, ...(isPlausible && { isPlausible }) })
