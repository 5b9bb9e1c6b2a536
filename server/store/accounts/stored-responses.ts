/** Rows of stored responses: sealed conversations as linked lists, each response naming the one it continues. Per tenant. */
import { and, count, eq, gt, sql } from 'drizzle-orm'
import { storedResponses } from '#db/reasoning-state'
import type { Store } from '#store/engine/store'

/** A row. */
export type ResponseRecord = typeof storedResponses.$inferSelect

/** Maximum size of a chain that is read. */
export interface ChainBounds {
  links: number
  /** Bytes of sealed text. */
  bytes: number
}

/** The result of reading a chain. */
export type Chain =
  /** Oldest first; the last is the requested one. */
  | { kind: 'whole'; links: ResponseRecord[] }
  /** The response, or one it continues, does not exist. */
  | { kind: 'missing' }
  /** The chain exceeds the bounds. */
  | { kind: 'too-large' }

/** Inserts the row unless the tenant has one with this id. Rejects with the driver's foreign key violation when the user does not exist. */
export async function insertResponse({ db }: Store, row: ResponseRecord): Promise<void> {
  await db.insert(storedResponses).values(row).onConflictDoNothing()
}

/** The tenant's response of this id, unless expired at `now`. */
export async function findResponse({ db }: Store, tenant: string, id: string, now: Date): Promise<ResponseRecord | undefined> {
  const [row] = await db
    .select()
    .from(storedResponses)
    .where(and(ofTenant(tenant, id), gt(storedResponses.expiresAt, now)))
  return row
}

/** The row and all rows it continues, in one statement that stops at the bounds. */
export async function findChain({ db }: Store, tenant: string, id: string, now: Date, most: ChainBounds): Promise<Chain> {
  const at = sql.param(now, storedResponses.expiresAt)
  const chain = sql`(
    with recursive chain (id, previous_id, depth, bytes) as (
      select id, previous_id, 1, octet_length(sealed)::bigint from ${storedResponses}
      where tenant = ${tenant} and id = ${id} and expires_at > ${at}
      union all
      select link.id, link.previous_id, chain.depth + 1, chain.bytes + octet_length(link.sealed)
      from chain join ${storedResponses} as link on link.tenant = ${tenant} and link.id = chain.previous_id and link.expires_at > ${at}
      where chain.depth <= ${most.links}::int and chain.bytes <= ${most.bytes}::bigint
    ) select id, depth, bytes from chain
  ) as chain`
  const found = await db
    .select({ row: storedResponses, depth: sql`chain.depth`.mapWith(Number), bytes: sql`chain.bytes`.mapWith(Number) })
    .from(storedResponses)
    .innerJoin(chain, sql`chain.id = ${storedResponses.id}`)
    .where(eq(storedResponses.tenant, tenant))
    .orderBy(sql`chain.depth desc`)
  const [oldest] = found
  if (oldest && (oldest.depth > most.links || oldest.bytes > most.bytes)) return { kind: 'too-large' }
  if (!oldest || oldest.row.previousId !== null) return { kind: 'missing' }
  return { kind: 'whole', links: found.map(({ row }) => row) }
}

/** How many responses of the tenant are stored at `now`, and the bytes of their sealed text. Reads no text. */
export async function sumResponses({ db }: Store, tenant: string, now: Date): Promise<{ count: number; bytes: number }> {
  const { tenant: owner, expiresAt, sealed } = storedResponses
  const [sum] = await db
    .select({ count: count(), bytes: sql`coalesce(sum(octet_length(${sealed})), 0)`.mapWith(Number) })
    .from(storedResponses)
    .where(and(eq(owner, tenant), gt(expiresAt, now)))
  return sum ?? { count: 0, bytes: 0 }
}

/** Resolves to false when the tenant has no such row, or it has expired at `now`. */
export async function deleteResponse({ db }: Store, tenant: string, id: string, now: Date): Promise<boolean> {
  const gone = await db
    .delete(storedResponses)
    .where(and(ofTenant(tenant, id), gt(storedResponses.expiresAt, now)))
    .returning({ id: storedResponses.id })
  return gone.length > 0
}

const ofTenant = (tenant: string, id: string) => and(eq(storedResponses.tenant, tenant), eq(storedResponses.id, id))
