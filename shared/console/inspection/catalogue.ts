/** Models with their prices, as administrators see them. */
import type { VendorId } from '../../ids.ts'
import type { CapabilityRow } from '../model.ts'
import type { PriceRow } from '../price.ts'
import type { UsageTotals } from '../usage.ts'

/**
 * Price state of a catalogue model: a price that covers it; none; a price that covers nothing the model does; or a price for a model that
 * no enabled channel offers.
 */
export const priceStates = ['priced', 'unpriced', 'incomplete', 'unoffered'] as const
export type PriceState = (typeof priceStates)[number]

/** A row of GET /api/catalogue: a model that channels offer, or that has a price. */
export interface CatalogueRow extends Omit<CapabilityRow, 'model'> {
  model: string
  state: PriceState
  price: Omit<PriceRow, 'model'> | null
  /** When its price was last changed, RFC 3339; null: not known, or never. */
  priceChangedAt: string | null
  /** Enabled channels that offer it, in the order in which they are tried. */
  channels: { id: string; name: string; vendor: VendorId }[]
  /** Its usage of the last seven days; null: none. */
  week: UsageTotals | null
}

/** GET /api/catalogue/totals: how many models there are, how many lack a price that covers them, and how many ran at a loss this week. */
export interface CatalogueTotals {
  models: number
  unpriced: number
  losing: number
}
