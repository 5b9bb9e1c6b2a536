/** What is stored about work that an upstream has begun: its place, and the data to settle it later. */
import type { WorkFacts } from '#canonical/operation/kept-work'
import type { OwedWork } from '#long-work/kept-work'
import type { BegunWork } from '#relay/contract/ask'
import { parseRatio } from '#shared/money'

/** The place where it runs. */
export const placeOf = ({ candidate: { channel, key, model }, head }: BegunWork): Omit<WorkFacts, 'upstreamId' | 'report'> => ({
  ...{ model: head.model, channel: channel.id, key: key?.id ?? null, upstreamModel: model.upstream },
})

/** The data to settle it. State notes are written when it begins, not with its row. */
export function owedOf({ row: whole, held }: BegunWork): OwedWork {
  const { at, cost: _, upstreamCost: __, usage: ___, notes: ____, price, ...row } = whole
  const { ratio = '1', ...fields } = (price ?? {}) as { ratio?: string }
  return {
    row: { ...row, at: new Date(at).toISOString(), price },
    price: fields,
    ratio: String(parseRatio(ratio)),
    held: String(held),
  }
}
