import type { PriceRow } from '#shared/console/price'
import type { UsageReportRow } from '#shared/console/usage'

/** A model with its price, if it has one. */
export interface PricedModel {
  model: string
  price: PriceRow | undefined
  channels: string[]
  /** Vendors of those channels. */
  vendors: string[]
  week: UsageReportRow | undefined
  /** What it can do, in words. */
  can: string | undefined
}
