/** Rows of channels with their sealed keys. A channel and its keys are written in one transaction and told to all mirrors. */
import { asc, eq } from 'drizzle-orm'
import { channelKeys, channels } from '#db/channels'
import type { Db, Store } from './store.ts'

export type KeyRecord = typeof channelKeys.$inferSelect
export type ChannelFields = typeof channels.$inferSelect
/** Keys in the order in which they were given. */
export type ChannelRecord = ChannelFields & { keys: KeyRecord[] }

/** Every channel in order of creation, disabled ones too. */
export async function loadChannels({ db }: Store): Promise<ChannelRecord[]> {
  const rows = await db.select().from(channels).orderBy(asc(channels.createdAt), asc(channels.id))
  const keys = await db.select().from(channelKeys).orderBy(asc(channelKeys.id))
  const byChannel = Map.groupBy(keys, (key) => key.channelId)
  return rows.map((row) => ({ ...row, keys: byChannel.get(row.id) ?? [] }))
}

export async function loadChannel({ db }: Store, id: string): Promise<ChannelRecord | undefined> {
  const [row] = await db.select().from(channels).where(eq(channels.id, id))
  if (!row) return undefined
  return { ...row, keys: await db.select().from(channelKeys).where(eq(channelKeys.channelId, id)).orderBy(asc(channelKeys.id)) }
}

/** Rejects with the driver's unique violation when the name is taken. */
export async function insertChannel(store: Store, { keys, ...row }: ChannelRecord): Promise<void> {
  await store.db.transaction(async (tx) => {
    await tx.insert(channels).values(row)
    await insertKeys(tx, keys)
  })
  await store.changes.publish('channels', row.id)
}

/** Writes the named fields; `keys`, when given, replaces all keys of the channel. Resolves to false when the row is gone. */
export async function updateChannel(store: Store, id: string, fields: Partial<ChannelFields>, keys?: KeyRecord[]): Promise<boolean> {
  const found = await store.db.transaction(async (tx) => {
    // Writing the id to itself keeps the statement valid when only keys change, and locks the row.
    const rows = await tx
      .update(channels)
      .set({ ...fields, id })
      .where(eq(channels.id, id))
      .returning({ id: channels.id })
    if (rows.length === 0) return false
    if (keys) {
      await tx.delete(channelKeys).where(eq(channelKeys.channelId, id))
      await insertKeys(tx, keys)
    }
    return true
  })
  await store.changes.publish('channels', id)
  return found
}

/** The keys go with the channel. */
export async function deleteChannel(store: Store, id: string): Promise<void> {
  await store.db.delete(channels).where(eq(channels.id, id))
  await store.changes.publish('channels', id)
}

async function insertKeys(db: Db, keys: KeyRecord[]): Promise<void> {
  if (keys.length > 0) await db.insert(channelKeys).values(keys)
}
