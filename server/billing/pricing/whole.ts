/** Which operations a price says enough for: what it leaves out must never be given away. Pure. */
import type { PriceFields } from '#shared/console/price'
import type { Operation } from '#shared/ids'
import type { Price } from './price.ts'

/** Their answers have no tokens to pay for. */
const readsOnly: ReadonlySet<Operation> = new Set(['embed', 'rerank', 'moderate'])

/**
 * Whether a model with this price may be asked for this: what writes tokens needs a price of `output` beside that of `input`, and a video,
 * which is not counted in tokens, one of `second` or `request`, unless its tokens are free by the operator's word.
 */
export function isWholeFor(price: Price | undefined, operation: Operation): price is Price {
  if (price === undefined) return false
  const { input, output, second, request } = price.fields
  if (operation === 'video') return second !== undefined || request !== undefined || isFree(price)
  return readsOnly.has(operation) || input === undefined || output !== undefined
}

/** Zero was written for all that it names. */
function isFree({ fields }: Price): boolean {
  const { tiers, factors: _, ...amounts }: PriceFields = fields
  return tiers === undefined && Object.values(amounts).every((amount) => Number(amount) === 0)
}
