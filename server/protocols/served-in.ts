/** How an answer was served according to itself: the tier, speed and region by which some upstreams charge. */
import type { Usage } from '#canonical/usage'
import { plainWord } from '#protocols/codec/unpriced'
import { factorFields } from '#shared/console/price'
import { isObject } from '#shared/json'

/** How an answer was served according to the upstream's figures, and to `tier` outside of them, in the terms of prices. */
export function servedIn({ raw }: Pick<Usage, 'raw'>, tier: string | undefined): NonNullable<Usage['servedAs']> {
  const said = isObject(raw) ? { ...raw, service_tier: tier ?? raw.service_tier ?? raw.serviceTier } : { service_tier: tier }
  const words = factorFields.flatMap((field) => {
    const word = (said as Readonly<Record<string, unknown>>)[field]
    return typeof word === 'string' ? [[field, plainWord(word)]] : []
  })
  return Object.fromEntries(words)
}
