/** Rows of console sessions, by the digest of their first token. */
import { and, eq, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import { sessions } from '#db/accounts'
import type { Store } from '#store/engine/store'

/** A row. */
export type SessionRecord = typeof sessions.$inferSelect

/** Every session. */
export const loadSessions = ({ db }: Store): Promise<SessionRecord[]> => db.select().from(sessions)

/** The session with this digest, if it exists. */
export async function loadSession({ db }: Store, digest: string): Promise<SessionRecord | undefined> {
  const [row] = await db.select().from(sessions).where(eq(sessions.digest, digest))
  return row
}

/** Inserts a session. */
export async function insertSession(store: Store, row: SessionRecord): Promise<void> {
  await store.db.insert(sessions).values(row)
  await store.changes.publish('sessions', row.digest)
}

/**
 * Records that the user of a session has confirmed their identity again, and replaces its token with the digest
 * `before` by a new one; false when it no longer has that token. Only one of several concurrent calls succeeds.
 */
export async function proveSession(
  store: Store,
  digest: string,
  { before, ...columns }: { before: string; tokenDigest: string; provedAt: Date },
): Promise<boolean> {
  const those = and(eq(sessions.digest, digest), hasToken(before))
  const proved = await store.db.update(sessions).set(columns).where(those).returning({ digest: sessions.digest })
  await store.changes.publish('sessions', digest)
  return proved.length > 0
}

/** Deletes the session, if it exists. */
export async function deleteSession(store: Store, digest: string): Promise<void> {
  await store.db.delete(sessions).where(eq(sessions.digest, digest))
  await store.changes.publish('sessions', digest)
}

/** Deletes the session with this token, if it exists. */
export async function deleteSessionWithToken(store: Store, digest: string): Promise<void> {
  await ended(store, await store.db.delete(sessions).where(hasToken(digest)).returning({ digest: sessions.digest }))
}

const hasToken = (digest: string): SQL => sql`coalesce(${sessions.tokenDigest}, ${sessions.digest}) = ${digest}`

/** Ends every session of a user, except that with the digest `but`. */
export async function deleteSessionsOf(store: Store, userId: string, but?: string): Promise<void> {
  const those = and(eq(sessions.userId, userId), but === undefined ? undefined : ne(sessions.digest, but))
  await ended(store, await store.db.delete(sessions).where(those).returning({ digest: sessions.digest }))
}

/** Ends all users' sessions, except that with the digest `but`; resolves to how many. */
export async function deleteEverySession(store: Store, but?: string): Promise<number> {
  const those = but === undefined ? undefined : ne(sessions.digest, but)
  const gone = await store.db.delete(sessions).where(those).returning({ digest: sessions.digest })
  await ended(store, gone)
  return gone.length
}

/** Deletes sessions last used before `idle` or started before `begun`. */
export async function deleteStaleSessions(store: Store, idle: Date, begun: Date): Promise<void> {
  const stale = or(lt(sessions.usedAt, idle), lt(sessions.createdAt, begun))
  await ended(store, await store.db.delete(sessions).where(stale).returning({ digest: sessions.digest }))
}

/** Writes when sessions were last used, in one statement; never moves a time back. Not published: mirrors read it with their poll. */
export async function touchSessions({ db }: Store, seen: readonly (readonly [digest: string, at: Date])[]): Promise<void> {
  if (seen.length === 0) return
  const values = seen.map(([digest, at]) => sql`(${digest}::text, ${at.toISOString()}::timestamptz)`)
  await db.execute(sql`
    update ${sessions} set used_at = seen.at from (values ${sql.join(values, sql`, `)}) as seen(digest, at)
    where ${sessions.digest} = seen.digest and ${sessions.usedAt} < seen.at`)
}

async function ended(store: Store, gone: readonly { digest: string }[]): Promise<void> {
  for (const { digest } of gone) await store.changes.publish('sessions', digest)
}
