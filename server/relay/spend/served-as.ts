/** Which price factors apply to an answer: by what the upstream reports, else by what was requested. Pure. */
import type { Rates } from '#billing/pricing/price'
import type { Head } from '#canonical/codec'
import type { UnpricedField } from '#canonical/unpriced-field'
import type { Usage } from '#canonical/usage'
import { servedIn } from '#protocols/served-in'
import type { Candidate } from '#routing/order'

type ServedAs = NonNullable<Usage['servedAs']>
type Asked = Pick<Head, 'unpriced'>
type Priced = Pick<Rates, 'factors'>

/** A factor of one, in millionths. */
const usual = 1_000_000n

const factorOf = ({ factor }: UnpricedField, { factors }: Priced) => factor && factors?.[factor.field]?.get(factor.word)

/** Whether the price has a factor for the field. */
export const hasFactor = (field: UnpricedField, rates: Priced): boolean => factorOf(field, rates) !== undefined

/** The requested fields with a factor above one; `reaches` tells which fields are sent. Undefined: none. */
export function askedAs(
  { unpriced = [] }: Asked,
  rates: Priced,
  reaches: (field: UnpricedField) => boolean = () => true,
): ServedAs | undefined {
  const asked: ServedAs = {}
  for (const field of unpriced) {
    // A factor below one only applies when the upstream reports it.
    if (field.factor && reaches(field) && (factorOf(field, rates) ?? 0n) > usual) asked[field.factor.field] = field.factor.word
  }
  return Object.keys(asked).length > 0 ? asked : undefined
}

/** Whether the field is sent to this candidate as the caller wrote it. */
export const isSentTo =
  ({ channel: { params }, dialect }: Candidate) =>
  ({ field, reaches }: UnpricedField): boolean =>
    reaches.includes(dialect) && !Object.hasOwn(params.set ?? {}, field) && !params.remove?.includes(field)

/** The usage with the fields that decide its price. `tier`: the service tier that the answer reports outside of its usage. */
export function billedAs(usage: Usage, tier: string | undefined, head: Asked, rates: Priced, candidate: Candidate | undefined): Usage {
  if (!rates.factors) return usage
  const asked = candidate && askedAs(head, rates, isSentTo(candidate))
  const words = Object.entries({ ...asked, ...servedIn(usage, tier) })
  const known = words.filter(([field, word]) => rates.factors?.[field as keyof ServedAs]?.has(word))
  return known.length > 0 ? { ...usage, servedAs: Object.fromEntries(known) } : usage
}
