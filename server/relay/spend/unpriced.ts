/** Refuses request fields for which an upstream would charge more than the model's price here. */
import type { Rates } from '#billing/pricing/price'
import type { Head } from '#canonical/codec'
import { surchargedBetas } from '#protocols/surcharged-betas'
import type { ReadRequest } from '#relay/contract/steps'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import { hasFactor, isSentTo } from './served-as.ts'

type Priced = Partial<Pick<Rates, 'factors' | 'tiers'>>

/** Input tokens; a beta header gives some models a longer context, at another price. */
const usualContext = 200_000

/** Options in the headers of a Messages request count like those in its body. */
export function addBetas(request: ReadRequest): void {
  const { ask, head } = request
  const betas = surchargedBetas(head, ask.headers)
  if (betas.length > 0) request.head = { ...head, unpriced: [...(head.unpriced ?? []), ...betas] }
}

const pricesLongContext = ({ model }: Candidate, { tiers = [] }: Priced): boolean =>
  tiers.length > 0 || (model.capabilities.contextTokens ?? 0) > usualContext

/**
 * Why this candidate may not be sent the request; undefined: everything has a price or a factor. Fields that the channel itself sets or
 * removes are the operator's choice, and have the price of the model; with `options.unpricedFields: allow` the operator pays the
 * difference.
 */
export function unpricedFor({ unpriced }: Pick<Head, 'unpriced'>, candidate: Candidate, rates: Priced): GatewayError | undefined {
  if (!unpriced || candidate.channel.options.unpricedFields === 'allow') return undefined
  const isSent = isSentTo(candidate)
  const field = unpriced.find(
    (one) => isSent(one) && !hasFactor(one, rates) && !(one.longContext && pricesLongContext(candidate, rates)),
  )?.field
  if (field === undefined) return undefined
  return new GatewayError(
    'unpriced_field',
    `The field \`${field}\` asks for something that costs more than this model’s price here. Leave it out, or ask the operator for a model that has it.`,
    { param: field },
  )
}
