import type { Dialect } from '#shared/ids'

/** A field for which vendors charge more than the usual price of a model. */
export interface UnpricedField {
  /** Its path in the caller's body. */
  field: string
  /** Dialects of upstreams that are asked for it, the caller's own or by conversion. */
  reaches: readonly Dialect[]
}
