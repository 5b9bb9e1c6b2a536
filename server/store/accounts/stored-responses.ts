/** Rows of stored responses: sealed conversations in links, each naming the one that it continues. Per tenant. */
import { and, eq, gt, sql } from 'drizzle-orm'
import { storedResponses } from '#db/vault'
import type { Store } from '#store/engine/store'

export type ResponseRecord = typeof storedResponses.$inferSelect

/** How much of a chain is read at most. */
export interface ChainBounds {
  links: number
  /** Bytes of sealed text. */
  bytes: number
}

export type Chain =
  /** Oldest first; the last is the one asked for. */
  | { kind: 'whole'; links: ResponseRecord[] }
  /** It, or one that it builds on, is not there. */
  | { kind: 'missing' }
  /** It is longer or larger than the bounds. */
  | { kind: 'too-large' }

/** Keeps the row unless the tenant has one of this id. Rejects with the driver's foreign key violation when the user is gone. */
export async function insertResponse({ db }: Store, row: ResponseRecord): Promise<void> {
  await db.insert(storedResponses).values(row).onConflictDoNothing()
}

export async function findResponse({ db }: Store, tenant: string, id: string, now: Date): Promise<ResponseRecord | undefined> {
  const [row] = await db
    .select()
    .from(storedResponses)
    .where(and(ofTenant(tenant, id), gt(storedResponses.expiresAt, now)))
  return row
}

/** The row and all that it continues, in one statement, which stops where the bounds are passed. */
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

/** Resolves to false when the tenant has no such row, or it has expired at `now`. */
export async function deleteResponse({ db }: Store, tenant: string, id: string, now: Date): Promise<boolean> {
  const gone = await db
    .delete(storedResponses)
    .where(and(ofTenant(tenant, id), gt(storedResponses.expiresAt, now)))
    .returning({ id: storedResponses.id })
  return gone.length > 0
}

const ofTenant = (tenant: string, id: string) => and(eq(storedResponses.tenant, tenant), eq(storedResponses.id, id))
