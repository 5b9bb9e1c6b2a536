/**
 * Rows of stored responses: sealed conversations as linked lists, each response naming the one it continues. Per tenant. A large one is
 * stored in pieces, which are written and read one at a time: a statement of many megabytes would block the thread.
 */
import { and, count, eq, gt, sql } from 'drizzle-orm'
import { storedPieces, storedResponses } from '#db/reasoning-state'
import type { Store } from '#store/engine/store'

/** A row. */
export type ResponseRecord = typeof storedResponses.$inferSelect
/** A row without its sealed content, and the size of that content over all pieces. */
export type ResponseLink = Omit<ResponseRecord, 'sealed' | 'furtherBytes'> & {
  bytes: number
  /** Sealed text, for a small chain. */
  sealed: string | null
}

/** Maximum size of a chain that is read. */
export interface ChainBounds {
  links: number
  /** Bytes of sealed text. */
  bytes: number
}

/** Bytes of a chain whose text comes with its links. */
const lightBytes = 1024 * 1024

/** The result of reading a chain. */
export type Chain =
  /** Oldest first; the last is the requested one. */
  | { kind: 'whole'; links: ResponseLink[]; bytes: number }
  /** The response, or one it continues, does not exist. */
  | { kind: 'missing' }
  /** The chain exceeds the bounds. */
  | { kind: 'too-large' }

/**
 * Inserts the row and then its further pieces, unless the tenant has one with this id. It cannot be read until the last piece is written.
 * Rejects with the driver's foreign key violation when the user does not exist.
 */
export async function insertResponse(
  { db }: Store,
  row: Omit<ResponseRecord, 'furtherBytes'>,
  further: readonly string[] = [],
): Promise<void> {
  const furtherBytes = further.reduce((sum, { length }) => sum + length, 0)
  const made = await db
    .insert(storedResponses)
    .values({ ...row, furtherBytes })
    .onConflictDoNothing()
    .returning({ id: storedResponses.id })
  if (made.length === 0) return
  const { tenant, id } = row
  for (const [at, sealed] of further.entries()) await db.insert(storedPieces).values({ tenant, id, place: at + 1, sealed })
}

/** The tenant's response of this id, unless expired at `now`; for a large one the first piece. */
export async function findResponse({ db }: Store, tenant: string, id: string, now: Date): Promise<ResponseRecord | undefined> {
  const [row] = await db
    .select()
    .from(storedResponses)
    .where(and(ofTenant(tenant, id), gt(storedResponses.expiresAt, now)))
  return row
}

/** The piece of a response at this position, from 1 on; undefined after the last. */
export async function findPiece({ db }: Store, tenant: string, id: string, place: number): Promise<string | undefined> {
  const [row] = await db
    .select({ sealed: storedPieces.sealed })
    .from(storedPieces)
    .where(and(eq(storedPieces.tenant, tenant), eq(storedPieces.id, id), eq(storedPieces.place, place)))
  return row?.sealed
}

/** The row and all rows it continues, in one statement that stops at the bounds. */
export async function findChain({ db }: Store, tenant: string, id: string, now: Date, most: ChainBounds): Promise<Chain> {
  const at = sql.param(now, storedResponses.expiresAt)
  const chain = sql`(
    with recursive chain (id, previous_id, depth, bytes) as (
      select id, previous_id, 1, octet_length(sealed)::bigint + further_bytes from ${storedResponses}
      where tenant = ${tenant} and id = ${id} and expires_at > ${at}
      union all
      select link.id, link.previous_id, chain.depth + 1, chain.bytes + octet_length(link.sealed) + link.further_bytes
      from chain join ${storedResponses} as link on link.tenant = ${tenant} and link.id = chain.previous_id and link.expires_at > ${at}
      where chain.depth <= ${most.links}::int and chain.bytes <= ${most.bytes}::bigint
    ) select id, depth, bytes, max(bytes) over () as whole from chain
  ) as chain`
  const { sealed: text, furtherBytes, id: name, previousId, createdAt, expiresAt, tenant: owner } = storedResponses
  const found = await db
    .select({
      ...{ id: name, previousId, createdAt, expiresAt, tenant: owner },
      sealed: sql<string | null>`case when chain.whole <= ${lightBytes}::bigint then ${text} end`,
      bytes: sql`octet_length(${text})::bigint + ${furtherBytes}`.mapWith(Number),
      depth: sql`chain.depth`.mapWith(Number),
      soFar: sql`chain.bytes`.mapWith(Number),
    })
    .from(storedResponses)
    .innerJoin(chain, sql`chain.id = ${storedResponses.id}`)
    .where(eq(owner, tenant))
    .orderBy(sql`chain.depth desc`)
  const [oldest] = found
  if (oldest && (oldest.depth > most.links || oldest.soFar > most.bytes)) return { kind: 'too-large' }
  if (!oldest || oldest.previousId !== null) return { kind: 'missing' }
  return { kind: 'whole', links: found.map(({ depth: _, soFar: __, ...link }) => link), bytes: oldest.soFar }
}

/** How many responses of the tenant are stored at `now`, and the bytes of their sealed text. Reads no text. */
export async function sumResponses({ db }: Store, tenant: string, now: Date): Promise<{ count: number; bytes: number }> {
  const { tenant: owner, expiresAt, sealed, furtherBytes } = storedResponses
  const [sum] = await db
    .select({ count: count(), bytes: sql`coalesce(sum(octet_length(${sealed})::bigint + ${furtherBytes}), 0)`.mapWith(Number) })
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
