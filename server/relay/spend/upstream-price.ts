/** The upstream's own price, as declared by the channel's `costs`. */
import type { Rates } from '#billing/pricing/price'
import { resolveRates } from '#billing/pricing/rates'
import type { Candidate } from '#routing/order'
import type { PriceFields } from '#shared/console/price'

export interface UpstreamPrice {
  fields: PriceFields
  rates: Rates
}

/**
 * The declared price; undefined if the channel does not declare the model, or in a form unknown to this build: no request may fail for it.
 */
export function upstreamPriceOf({ channel, model }: Candidate): UpstreamPrice | undefined {
  const fields = Object.hasOwn(channel.costs, model.name) ? channel.costs[model.name] : undefined
  try {
    return fields && { fields, rates: resolveRates(fields) }
  } catch {
    return undefined
  }
}
