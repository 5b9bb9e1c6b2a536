/** Models with their prices, as administrators see them. */
import type { VendorId } from '../../ids.ts'
import type { CapabilityRow } from '../model.ts'
import type { PriceRow } from '../price.ts'
import type { UsageTotals } from '../usage.ts'

/**
 * What a model of the catalogue has: a price that serves it; none; one that serves nothing that it does; or a price that no channel which
 * is on offers a model for.
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
  /** That are on and offer it, those asked first at the beginning. */
  channels: { id: string; name: string; vendor: VendorId }[]
  /** Its usage of the last seven days; null: none. */
  week: UsageTotals | null
}

/** GET /api/catalogue/totals: how many models there are, without a price that serves them, and of which the week cost more than it brought. */
export interface CatalogueTotals {
  models: number
  unpriced: number
  losing: number
}
