/** Refuses what an upstream would charge more for than the model's price here says. */
import type { Rates } from '#billing/pricing/price'
import type { Head } from '#canonical/codec'
import { dearBetas } from '#protocols/dear-betas'
import type { ReadRequest } from '#relay/contract/steps'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'
import { hasFactor, isSentTo } from './served-as.ts'

type Priced = Partial<Pick<Rates, 'factors' | 'tiers'>>

/** Tokens of input; where models have no longer context, a beta gives them one at another price. */
const usualContext = 200_000

/** What the headers of a Messages request ask for counts as what its body asks for. */
export function addBetas(request: ReadRequest): void {
  const { ask, head } = request
  const betas = dearBetas(head, ask.headers)
  if (betas.length > 0) request.head = { ...head, unpriced: [...(head.unpriced ?? []), ...betas] }
}

const pricesLongContext = ({ model }: Candidate, { tiers = [] }: Priced): boolean =>
  tiers.length > 0 || (model.capabilities.contextTokens ?? 0) > usualContext

/**
 * Why this candidate may not be sent the request; undefined: everything has its price, or a factor of it. What the channel itself sets or removes is the
 * operator's word, and has the price of the model; `options.unpricedFields: allow` takes the difference on the house.
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
