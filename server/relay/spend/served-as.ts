/** What an answer is charged as where its price has factors: by what the upstream says of it, else by what was asked for. Pure. */
import type { Rates } from '#billing/pricing/price'
import type { Head } from '#canonical/codec'
import type { UnpricedField } from '#canonical/unpriced-field'
import type { Usage } from '#canonical/usage'
import { servedIn } from '#protocols/served-in'
import type { Candidate } from '#routing/order'

type ServedAs = NonNullable<Usage['servedAs']>
type Asked = Pick<Head, 'unpriced'>
type Priced = Pick<Rates, 'factors'>

/** Millionths. */
const usual = 1_000_000n

const factorOf = ({ factor }: UnpricedField, { factors }: Priced) => factor && factors?.[factor.field]?.get(factor.word)

/** Whether the price says what the field costs. */
export const hasFactor = (field: UnpricedField, rates: Priced): boolean => factorOf(field, rates) !== undefined

/** The dearer ways of serving that were asked for; `reaches` tells which of the fields are sent. Undefined: none. */
export function askedAs(
  { unpriced = [] }: Asked,
  rates: Priced,
  reaches: (field: UnpricedField) => boolean = () => true,
): ServedAs | undefined {
  const asked: ServedAs = {}
  for (const field of unpriced) {
    // A cheaper one is charged only when the upstream says so.
    if (field.factor && reaches(field) && (factorOf(field, rates) ?? 0n) > usual) asked[field.factor.field] = field.factor.word
  }
  return Object.keys(asked).length > 0 ? asked : undefined
}

/** Whether this candidate is sent the field as the caller wrote it. */
export const isSentTo =
  ({ channel: { params }, dialect }: Candidate) =>
  ({ field, reaches }: UnpricedField): boolean =>
    reaches.includes(dialect) && !Object.hasOwn(params.set ?? {}, field) && !params.remove?.includes(field)

/** The usage with what its tokens are priced as. `tier` is what the answer says beside its usage. */
export function billedAs(usage: Usage, tier: string | undefined, head: Asked, rates: Priced, candidate: Candidate | undefined): Usage {
  if (!rates.factors) return usage
  const asked = candidate && askedAs(head, rates, isSentTo(candidate))
  const words = Object.entries({ ...asked, ...servedIn(usage, tier) })
  const known = words.filter(([field, word]) => rates.factors?.[field as keyof ServedAs]?.has(word))
  return known.length > 0 ? { ...usage, servedAs: Object.fromEntries(known) } : usage
}
