/** Rows of channels with their sealed keys. A channel and its keys are written in one transaction and published to all mirrors. */
import { and, asc, eq, inArray } from 'drizzle-orm'
import { channelKeys, channels } from '#db/channels'
import { inLots } from '#store/engine/batches'
import type { Db, Store } from '#store/engine/store'

/** A row of a key. */
export type KeyRecord = typeof channelKeys.$inferSelect
/** A row of a channel. */
export type ChannelFields = typeof channels.$inferSelect
/** A channel with its keys, in the order they were given. */
export type ChannelRecord = ChannelFields & { keys: KeyRecord[] }

/** Every channel in order of creation, including disabled ones, or those with these ids. */
export async function loadChannels({ db }: Store, ids?: readonly string[]): Promise<ChannelRecord[]> {
  const among = (column: typeof channels.id | typeof channelKeys.channelId) => (ids ? inArray(column, [...ids]) : undefined)
  const rows = await db.select().from(channels).where(among(channels.id)).orderBy(asc(channels.createdAt), asc(channels.id))
  if (rows.length === 0) return []
  const keys = await db
    .select()
    .from(channelKeys)
    .where(among(channelKeys.channelId))
    .orderBy(asc(channelKeys.createdAt), asc(channelKeys.id))
  const byChannel = Map.groupBy(keys, (key) => key.channelId)
  return rows.map((row) => ({ ...row, keys: byChannel.get(row.id) ?? [] }))
}

/** The channel of this id, if it exists. */
export const loadChannel = async (store: Store, id: string): Promise<ChannelRecord | undefined> => (await loadChannels(store, [id]))[0]

/** Inserts all channels or none. Rejects with the driver's unique violation when a name is taken. */
export async function insertChannels(store: Store, records: readonly ChannelRecord[]): Promise<void> {
  await store.db.transaction(async (tx) => {
    await inLots(records, (lot) => tx.insert(channels).values(lot))
    await insertKeys(
      tx,
      records.flatMap(({ keys }) => keys),
    )
  })
  for (const { id } of records) await store.changes.publish('channels', id)
}

/** Keys to add and remove; others stay. */
export interface KeyChange {
  added: KeyRecord[]
  /** Ids. */
  removed: readonly string[]
}

/** Writes the given fields; `keys`, when given, replaces all keys, or changes some. Resolves to false when the row does not exist. */
export async function updateChannel(
  store: Store,
  id: string,
  fields: Partial<ChannelFields>,
  keys?: KeyRecord[] | KeyChange,
): Promise<boolean> {
  const found = await store.db.transaction(async (tx) => {
    // Setting the id to itself keeps the statement valid when only keys change, and locks the row.
    const rows = await tx
      .update(channels)
      .set({ ...fields, id })
      .where(eq(channels.id, id))
      .returning({ id: channels.id })
    if (rows.length === 0) return false
    if (keys) {
      const going = 'added' in keys ? inArray(channelKeys.id, [...keys.removed]) : undefined
      await tx.delete(channelKeys).where(and(eq(channelKeys.channelId, id), going))
      await insertKeys(tx, 'added' in keys ? keys.added : keys)
    }
    return true
  })
  await store.changes.publish('channels', id)
  return found
}

/** Writes the given fields of one key. */
export async function updateChannelKey(
  store: Store,
  channelId: string,
  id: string,
  fields: Partial<Pick<KeyRecord, 'name' | 'weight' | 'enabled'>>,
): Promise<void> {
  const one = and(eq(channelKeys.channelId, channelId), eq(channelKeys.id, id))
  await store.db
    .update(channelKeys)
    .set({ ...fields, id })
    .where(one)
  await store.changes.publish('channels', channelId)
}

/** Deletes the channel and its keys. */
export async function deleteChannel(store: Store, id: string): Promise<void> {
  await store.db.delete(channels).where(eq(channels.id, id))
  await store.changes.publish('channels', id)
}

async function insertKeys(db: Db, keys: KeyRecord[]): Promise<void> {
  await inLots(keys, (lot) => db.insert(channelKeys).values(lot))
}
