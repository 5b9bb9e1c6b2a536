/** Rows of conversations stored by Responses clients, per tenant, and of the items in them. */
import { and, asc, count, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import { itemConversations, keptItems } from '#db/kept-items'
import type { Store } from '#store/engine/store'

/** A conversation without its items. */
export type ItemConversationRecord = typeof itemConversations.$inferSelect

/** An item without its content. */
export type ItemLine = Pick<typeof keptItems.$inferSelect, 'place' | 'item' | 'pieces' | 'bytes'>

/** An item to be added, sealed in pieces. */
export interface SealedItem {
  item: string
  sealed: readonly string[]
}

/** Bounds of a list of items. */
export interface ItemBounds {
  isOldestFirst: boolean
  /** Position of the item before the first. */
  after?: number
  most: number
}

/** Inserts the row. Rejects with the driver's violation when the user does not exist. */
export async function insertItemConversation({ db }: Store, row: ItemConversationRecord): Promise<void> {
  await db.insert(itemConversations).values(row)
}

/** The tenant's conversation of this id, unless expired at `now`. */
export async function findItemConversation({ db }: Store, tenant: string, id: string, now: Date) {
  const [row] = await db
    .select()
    .from(itemConversations)
    .where(live(tenant, id, now))
  return row
}

/** Changes its metadata and expiry; undefined when there is none. */
export async function changeItemConversation(
  { db }: Store,
  tenant: string,
  id: string,
  change: Pick<ItemConversationRecord, 'sealed' | 'expiresAt'>,
  now: Date,
): Promise<ItemConversationRecord | undefined> {
  const [row] = await db
    .update(itemConversations)
    .set(change)
    .where(live(tenant, id, now))
    .returning()
  return row
}

/** Deletes it with its items; false when there is none. */
export async function deleteItemConversation({ db }: Store, tenant: string, id: string, now: Date): Promise<boolean> {
  const gone = await db
    .delete(itemConversations)
    .where(live(tenant, id, now))
    .returning({ id: itemConversations.id })
  return gone.length > 0
}

/**
 * Appends items, all or none, and sets the conversation's expiry. False when there is none, or when it had `most`
 * items or more.
 */
export async function appendItems(
  { db }: Store,
  { tenant, id }: { tenant: string; id: string },
  items: readonly SealedItem[],
  { now, until, most }: { now: Date; until: Date; most: number },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [grown] = await tx
      .update(itemConversations)
      .set({ places: sql`${itemConversations.places} + ${items.length}`, expiresAt: until })
      .where(and(live(tenant, id, now), lt(itemConversations.places, most)))
      .returning({ places: itemConversations.places })
    if (!grown) return false
    for (const [index, { item, sealed }] of items.entries()) {
      const place = grown.places - items.length + index
      for (const [piece, text] of sealed.entries()) {
        const whole = piece === 0 ? { pieces: sealed.length, bytes: sealed.reduce((sum, { length }) => sum + length, 0) } : nothing
        await tx.insert(keptItems).values({ tenant, conversation: id, place, piece, item, ...whole, sealed: text })
      }
    }
    return true
  })
}

const nothing = { pieces: 0, bytes: 0 }
const { place, piece, item, pieces, bytes, sealed } = keptItems
const of = (tenant: string, id: string) => and(eq(keptItems.tenant, tenant), eq(keptItems.conversation, id))

/** Items of a conversation without their content. */
export const listItems = ({ db }: Store, tenant: string, id: string, { isOldestFirst, after, most }: ItemBounds): Promise<ItemLine[]> =>
  db
    .select({ place, item, pieces, bytes })
    .from(keptItems)
    .where(and(of(tenant, id), eq(piece, 0), after === undefined ? undefined : (isOldestFirst ? gt : lt)(place, after)))
    .orderBy((isOldestFirst ? asc : desc)(place))
    .limit(most)

/** The item of this id; the newest, where several have it. */
export async function findItem({ db }: Store, tenant: string, id: string, named: string): Promise<ItemLine | undefined> {
  const [line] = await db
    .select({ place, item, pieces, bytes })
    .from(keptItems)
    .where(and(of(tenant, id), eq(piece, 0), eq(item, named)))
    .orderBy(desc(place))
    .limit(1)
  return line
}

/** The first pieces of the items at these places, in any order. */
export const firstPieces = ({ db }: Store, tenant: string, id: string, places: readonly number[]) =>
  db
    .select({ place, sealed })
    .from(keptItems)
    .where(and(of(tenant, id), eq(piece, 0), inArray(place, [...places])))

/** A further piece of an item; undefined after the last. */
export async function furtherPiece({ db }: Store, tenant: string, id: string, at: { place: number; piece: number }) {
  const [row] = await db
    .select({ sealed })
    .from(keptItems)
    .where(and(of(tenant, id), eq(place, at.place), eq(piece, at.piece)))
  return row?.sealed
}

/** Deletes the item at this place; false when there is none. */
export async function deleteItem({ db }: Store, tenant: string, id: string, at: number): Promise<boolean> {
  const gone = await db
    .delete(keptItems)
    .where(and(of(tenant, id), eq(place, at)))
    .returning({ place })
  return gone.length > 0
}

/** How many conversations the tenant has, and the bytes of their sealed items. Reads no text. */
export async function sumItems({ db }: Store, tenant: string, now: Date): Promise<{ count: number; bytes: number }> {
  const [all] = await db
    .select({ count: count() })
    .from(itemConversations)
    .where(and(eq(itemConversations.tenant, tenant), gt(itemConversations.expiresAt, now)))
  const [sum] = await db
    .select({ bytes: sql`coalesce(sum(${bytes}::bigint), 0)`.mapWith(Number) })
    .from(keptItems)
    .where(eq(keptItems.tenant, tenant))
  return { count: all?.count ?? 0, bytes: sum?.bytes ?? 0 }
}

const live = (tenant: string, id: string, now: Date) =>
  and(eq(itemConversations.tenant, tenant), eq(itemConversations.id, id), gt(itemConversations.expiresAt, now))
