/** The second book: what a channel says its upstream charges. */
import type { Rates } from '#billing/pricing/price'
import { resolveRates } from '#billing/pricing/rates'
import type { Candidate } from '#routing/order'
import type { PriceFields } from '#shared/console/price'

export interface UpstreamPrice {
  fields: PriceFields
  rates: Rates
}

/** Undefined where the channel does not name the model, or in a way that this build cannot read: no request fails for that. */
export function upstreamPriceOf({ channel, model }: Candidate): UpstreamPrice | undefined {
  const fields = Object.hasOwn(channel.costs, model.name) ? channel.costs[model.name] : undefined
  try {
    return fields && { fields, rates: resolveRates(fields) }
  } catch {
    return undefined
  }
}
