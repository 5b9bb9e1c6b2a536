/** Refuses what an upstream would charge more for than the model's price here says. */
import type { Head } from '#canonical/codec'
import type { Candidate } from '#routing/order'
import { GatewayError } from '#shared/errors'

/**
 * Why this candidate may not be sent the request; undefined: everything has its price. What the channel itself sets or removes is the
 * operator's word, and has the price of the model; `options.unpricedFields: allow` takes the difference on the house.
 */
export function unpricedFor({ unpriced }: Pick<Head, 'unpriced'>, { channel, dialect }: Candidate): GatewayError | undefined {
  if (!unpriced || channel.options.unpricedFields === 'allow') return undefined
  const { set = {}, remove = [] } = channel.params
  const field = unpriced.find(
    (one) => one.reaches.includes(dialect) && !Object.hasOwn(set, one.field) && !remove.includes(one.field),
  )?.field
  if (field === undefined) return undefined
  return new GatewayError(
    'unpriced_field',
    `The field \`${field}\` asks for something that costs more than this model’s price here. Leave it out, or ask the operator for a model that has it.`,
    { param: field },
  )
}
