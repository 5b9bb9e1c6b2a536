/** Rows of prices, one per model. */
import { asc, eq } from 'drizzle-orm'
import { prices } from '#db/channels'
import type { Store } from './store.ts'

export type PriceRecord = typeof prices.$inferSelect

/** Every price by model name, disabled ones too. */
export function loadPrices({ db }: Store): Promise<PriceRecord[]> {
  return db.select().from(prices).orderBy(asc(prices.model))
}

export async function loadPrice({ db }: Store, model: string): Promise<PriceRecord | undefined> {
  const [row] = await db.select().from(prices).where(eq(prices.model, model))
  return row
}

/** Inserts the price or replaces what was there. */
export async function putPrice(store: Store, row: PriceRecord): Promise<void> {
  const { model, ...rest } = row
  await store.db.insert(prices).values(row).onConflictDoUpdate({ target: prices.model, set: rest })
  await store.changes.publish('prices', model)
}

export async function deletePrice(store: Store, model: string): Promise<void> {
  await store.db.delete(prices).where(eq(prices.model, model))
  await store.changes.publish('prices', model)
}
