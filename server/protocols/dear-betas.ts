/** Beta features that a header of the caller asks for, and that have another price than the model. */
import type { Head } from '#canonical/codec'
import type { UnpricedField } from '#canonical/unpriced-field'
import { betasUnpriced } from './codec/unpriced.ts'

/** The header by which Messages asks for betas. */
const betaHeader = 'anthropic-beta'
/** Tokens of input up to which the usual price holds; a token has a byte at least. */
const usualContext = 200_000

/** Of a Messages request; those that the request is too short for are none. */
export function dearBetas({ inputBytes, media }: Pick<Head, 'inputBytes' | 'media'>, headers: Pick<Headers, 'get'>): UnpricedField[] {
  const betas = headers.get(betaHeader)
  return betas === null || (inputBytes <= usualContext && media.length === 0) ? [] : betasUnpriced(betaHeader, betas)
}
