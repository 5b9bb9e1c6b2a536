/** Facts about the installation, one JSON value per name. */
import { eq } from 'drizzle-orm'
import { settings } from '#db/accounts'
import type { Store } from '#store/engine/store'

export async function readSetting({ db }: Pick<Store, 'db'>, name: string): Promise<unknown> {
  const [row] = await db.select().from(settings).where(eq(settings.name, name))
  return row?.value
}

/** Inserts the value or replaces what was there. */
export async function writeSetting(store: Store, name: string, value: NonNullable<unknown>): Promise<void> {
  await store.db.insert(settings).values({ name, value }).onConflictDoUpdate({ target: settings.name, set: { value } })
  await store.changes.publish('settings', name)
}

/** Keeps the value unless there is one; resolves to what holds now, the same for two instances that try at once. */
export async function keepSetting(store: Store, name: string, value: NonNullable<unknown>): Promise<unknown> {
  await store.db.insert(settings).values({ name, value }).onConflictDoNothing()
  return readSetting(store, name)
}
