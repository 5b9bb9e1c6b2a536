/** Rows of prices, one per model. */
import { asc, eq, inArray, sql } from 'drizzle-orm'
import { prices } from '#db/channels'
import { inLots } from '#store/engine/batches'
import type { Store } from '#store/engine/store'

/** A row. */
export type PriceRecord = typeof prices.$inferSelect
/** A row to write; the database sets the time. */
export type NewPrice = Omit<PriceRecord, 'changedAt'>

/** Every price by model name, including disabled ones, or those of these models. */
export function loadPrices({ db }: Store, models?: readonly string[]): Promise<PriceRecord[]> {
  return db
    .select()
    .from(prices)
    .where(models && inArray(prices.model, [...models]))
    .orderBy(asc(prices.model))
}

/** The price of this model, if it exists. */
export async function loadPrice({ db }: Store, model: string): Promise<PriceRecord | undefined> {
  const [row] = await db.select().from(prices).where(eq(prices.model, model))
  return row
}

/** Inserts or replaces the prices; each model may occur once. */
export async function putPrices(store: Store, rows: readonly NewPrice[]): Promise<void> {
  const now = sql`clock_timestamp()`
  const set = { price: sql`excluded.price`, managed: sql`excluded.managed`, enabled: sql`excluded.enabled`, changedAt: now }
  const dated = rows.map((row) => ({ ...row, changedAt: now }))
  await inLots(dated, (lot) => store.db.insert(prices).values(lot).onConflictDoUpdate({ target: prices.model, set }))
  for (const { model } of rows) await store.changes.publish('prices', model)
}

/** Deletes the price, if it exists. */
export async function deletePrice(store: Store, model: string): Promise<void> {
  await store.db.delete(prices).where(eq(prices.model, model))
  await store.changes.publish('prices', model)
}
