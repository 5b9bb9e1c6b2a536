/** Settings of the installation, one JSON value per name. */
import { eq } from 'drizzle-orm'
import { settings } from '#db/accounts'
import type { Store } from '#store/engine/store'

/** The value of a setting; undefined when it is not set. */
export async function readSetting({ db }: Pick<Store, 'db'>, name: string): Promise<unknown> {
  const [row] = await db.select().from(settings).where(eq(settings.name, name))
  return row?.value
}

/** Inserts or replaces the value. */
export async function writeSetting(store: Store, name: string, value: NonNullable<unknown>): Promise<void> {
  await store.db.insert(settings).values({ name, value }).onConflictDoUpdate({ target: settings.name, set: { value } })
  await store.changes.publish('settings', name)
}

/** Writes the value unless the setting exists; resolves to the stored value, the same for concurrent instances. */
export async function keepSetting(store: Store, name: string, value: NonNullable<unknown>): Promise<unknown> {
  await store.db.insert(settings).values({ name, value }).onConflictDoNothing()
  return readSetting(store, name)
}
