import type { FactorField } from '#shared/console/price'
import type { Dialect } from '#shared/ids'

/** A field for which vendors charge more than the usual price of a model. */
export interface UnpricedField {
  /** Its path in the caller's body. */
  field: string
  /** Dialects of upstreams that get it, the caller's own or by conversion. */
  reaches: readonly Dialect[]
  /** The factor that a price may have for it; absent: no price can have one. */
  factor?: { field: FactorField; word: string }
  /**
   * It requests a context of a million tokens: a price with a context tier covers that, and a model that always has it does not charge
   * more.
   */
  longContext?: true
}
