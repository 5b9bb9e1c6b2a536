import type { FactorField } from '#shared/console/price'
import type { Dialect } from '#shared/ids'

/** A field for which vendors charge more than the usual price of a model. */
export interface UnpricedField {
  /** Its path in the caller's body. */
  field: string
  /** Dialects of upstreams that are asked for it, the caller's own or by conversion. */
  reaches: readonly Dialect[]
  /** The factor that a price may have for it; absent: no price can have any. */
  factor?: { field: FactorField; word: string }
  /** It asks for a context of a million tokens: a price with a tier says what that costs, and a model that always has it asks no more for it. */
  longContext?: true
}
