/** Beta features, requested in a header, for which the vendor charges more than the usual price. */
import type { Head } from '#canonical/codec'
import type { UnpricedField } from '#canonical/unpriced-field'
import { betasUnpriced } from './codec/unpriced.ts'

/** The header for betas of Messages. */
const betaHeader = 'anthropic-beta'
/** Input tokens up to which the usual price applies; a token has at least one byte. */
const usualContext = 200_000

/** The betas of a Messages request that may cost more; none if its input is too short for the higher price. */
export function surchargedBetas({ inputBytes, media }: Pick<Head, 'inputBytes' | 'media'>, headers: Pick<Headers, 'get'>): UnpricedField[] {
  const betas = headers.get(betaHeader)
  return betas === null || (inputBytes <= usualContext && media.length === 0) ? [] : betasUnpriced(betaHeader, betas)
}
