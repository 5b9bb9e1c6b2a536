/** How an answer was served, by its own words: the tier, the speed and the place that some upstreams charge by. */
import type { Usage } from '#canonical/usage'
import { plainWord } from '#protocols/codec/unpriced'
import { factorFields } from '#shared/console/price'
import { isObject } from '#shared/json'

/** What the figures of an upstream, and `tier` beside them, say that an answer was served as, in the words of prices. */
export function servedIn({ raw }: Pick<Usage, 'raw'>, tier: string | undefined): NonNullable<Usage['servedAs']> {
  const said = isObject(raw) ? { ...raw, service_tier: tier ?? raw.service_tier ?? raw.serviceTier } : { service_tier: tier }
  const words = factorFields.flatMap((field) => {
    const word = (said as Readonly<Record<string, unknown>>)[field]
    return typeof word === 'string' ? [[field, plainWord(word)]] : []
  })
  return Object.fromEntries(words)
}
