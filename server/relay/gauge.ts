/** Who counts the tokens of one attempt where its upstream does not say them. */
import { type Gauge, roughly, type Scale } from '#canonical/gauge'
import { createGauge } from '#metering/tokens'
import type { Candidate } from '#routing/order'
import { beliefOf } from './belief.ts'
import type { Call } from './call.ts'

/** `raw` is the body as the client sent it. */
export function gaugeOf(call: Call, raw: string, candidate: Candidate): Gauge {
  const { inputBytes, media } = call.head
  const gauge = createGauge(candidate.model.upstream, () => ({ body: raw, bytes: inputBytes, hasFiles: media.length > 0 }))
  return { ...gauge, believes: beliefOf(call, candidate) }
}

/** Four bytes a token, with the same belief. */
export const roughlyAs = ({ believes }: Gauge): Scale => ({ ...roughly, ...(believes && { believes }) })
