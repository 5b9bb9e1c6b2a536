/** Beta features in a header of the caller that have a different price than the model. */
import type { Head } from '#canonical/codec'
import type { UnpricedField } from '#canonical/unpriced-field'
import { betasUnpriced } from './codec/unpriced.ts'

/** The header for betas of Messages. */
const betaHeader = 'anthropic-beta'
/** Tokens of input up to which the usual price holds; a token has a byte at least. */
const usualContext = 200_000

/** Of a Messages request; those that the request is too short for are none. */
export function dearBetas({ inputBytes, media }: Pick<Head, 'inputBytes' | 'media'>, headers: Pick<Headers, 'get'>): UnpricedField[] {
  const betas = headers.get(betaHeader)
  return betas === null || (inputBytes <= usualContext && media.length === 0) ? [] : betasUnpriced(betaHeader, betas)
}
