/** Counts the tokens of one attempt where its upstream does not report them. */
import { type Gauge, roughly, type Scale } from '#canonical/gauge'
import { createGauge } from '#metering/tokens'
import type { Asked } from '#relay/contract/steps'
import type { Candidate } from '#routing/order'
import type { Log } from '#runtime/log'
import { plausibilityOf } from './usage-plausibility.ts'

/** `raw` is the body as the client sent it. */
export function estimatorOf(log: Log, asked: Asked, raw: string, candidate: Candidate): Gauge {
  const { inputBytes, media } = asked.head
  const estimator = createGauge(candidate.model.upstream, () => ({ body: raw, bytes: inputBytes, hasFiles: media.length > 0 }))
  return { ...estimator, believes: plausibilityOf(log, asked, candidate) }
}

/** Four bytes a token, with the same judgement of what the upstream reports. */
export const roughlyAs = ({ believes }: Gauge): Scale => ({ ...roughly, ...(believes && { believes }) })
