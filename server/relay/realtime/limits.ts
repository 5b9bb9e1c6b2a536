/** The largest possible usage of one response of a session: the limits of its meter. */
import { mostExpensiveOutput } from '#billing/pricing/estimate'
import { isPlausible, plausibleOperation } from '#billing/pricing/plausibility'
import type { Price } from '#billing/pricing/price'
import { noUsage, type Usage } from '#canonical/usage'
import { realtimeCodecs } from '#protocols/realtime'
import type { Candidate } from '#routing/order'
import type { RealtimeAsk } from './contract.ts'

/** Limits of one response for models without known facts: the vendor's output limit, and the context of its largest model. */
const usualOutput = 4096
const usualContext = 128_000
/** Longest session, in seconds; the vendor ends its sessions after one hour. */
export const longestSeconds = 2 * 3600

/** The meter of a session; `warn` is called for implausible figures. */
export function meterFor(
  { style, variant, model }: Pick<RealtimeAsk, 'style' | 'variant' | 'model'>,
  candidates: readonly Candidate[],
  { rates }: Price,
  warn: () => void,
) {
  const facts = candidates.map(({ model }) => model.capabilities)
  const maxOutput = Math.max(...facts.map(({ maxOutputTokens }) => maxOutputTokens ?? usualOutput))
  const context = Math.max(...facts.map(({ contextTokens }) => contextTokens ?? usualContext))
  const possible = plausibleOperation(largestResponse(context, maxOutput), false)
  return realtimeCodecs[style].meter({
    model,
    ...(variant && { transcribes: true as const }),
    maxOutput,
    context,
    isPlausible(reported) {
      if (isPlausible(reported, possible)) return true
      warn()
      return false
    },
    dearest: mostExpensiveOutput(rates, { audio: true }) === 'audioOut' ? 'audio' : 'text',
  })
}

function largestResponse(context: number, maxOutput: number): Usage {
  const usage = noUsage()
  usage.in.fresh = context
  usage.out.total = maxOutput
  usage.units.seconds = longestSeconds
  return usage
}
