/** Counts the tokens of one attempt where its upstream does not report them. */
import { type Gauge, roughly, type Scale } from '#canonical/gauge'
import { createGauge } from '#metering/tokens'
import type { Candidate } from '#routing/order'
import type { Log } from '#runtime/log'
import { beliefOf } from './belief.ts'
import type { Asked } from './steps.ts'

/** `raw` is the body as the client sent it. */
export function gaugeOf(log: Log, asked: Asked, raw: string, candidate: Candidate): Gauge {
  const { inputBytes, media } = asked.head
  const gauge = createGauge(candidate.model.upstream, () => ({ body: raw, bytes: inputBytes, hasFiles: media.length > 0 }))
  return { ...gauge, believes: beliefOf(log, asked, candidate) }
}

/** Four bytes a token, with the same judgement of what the upstream reports. */
export const roughlyAs = ({ believes }: Gauge): Scale => ({ ...roughly, ...(believes && { believes }) })
