/**
 * Rows of users. A user, the wallet and the opening grant are inserted in one transaction, and no write may remove the last
 * administrator who can sign in: both rules are enforced here, safe against concurrent instances.
 */
import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import { apiKeys, managementKeys, sessions, teamMembers, users } from '#db/accounts'
import { entries } from '#db/ledger'
import { deleteBodiesOf } from '#store/bodies/kept-bodies'
import { inLots } from '#store/engine/batches'
import { checkViolation, sqlState } from '#store/engine/sql-state'
import type { Db, Store } from '#store/engine/store'
import { openWallets, type Posting, postGrant, postGrants, readWallets } from '#store/ledger/ledger'
import { onRecord } from './audit.ts'
import type { KeyRecord } from './keys.ts'
import { deleteStateOf } from './removed-users.ts'

type Row = typeof users.$inferSelect
/** A row. New ones have no plan. */
export type UserRecord = Omit<Row, 'plan'> & Partial<Pick<Row, 'plan'>>

/** Money for a wallet, in nano-dollars, with who gave it and why. */
export interface Grant {
  amount: bigint
  actor: string
  reason: string
  at: Date
}

/** A user to insert, with an opening grant if any. */
export interface NewUserRecord {
  user: UserRecord
  opening?: Grant
  key?: KeyRecord
}

/** The result of a credit. */
export type Credited = 'posted' | 'repeated' | 'conflict'

/** Writes that belong to a change, run in its transaction. */
export type Beside = (store: Store) => Promise<void>

/** The result of a write; `last`: rejected, since it would remove the last administrator. */
export type UserWrite = 'done' | 'gone' | 'last'

/** Every user, or those with these ids. */
export const loadUsers = ({ db }: Store, ids?: readonly string[]): Promise<UserRecord[]> =>
  db
    .select()
    .from(users)
    .where(ids && inArray(users.id, [...ids]))

/** The user of this id, if they exist. */
export async function loadUser({ db }: Store, id: string): Promise<UserRecord | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id))
  return row
}

/** Rejects with the driver's unique violation when the name is taken. */
export const createUser = (store: Store, row: NewUserRecord): Promise<void> => createUsers(store, [row])

/** All of them or none. */
export async function createUsers(store: Store, rows: readonly NewUserRecord[]): Promise<void> {
  await store.db.transaction((tx) => insertAll(tx, rows))
  await publishAll(store, rows)
}

/** As `createUser`, but only while there is no administrator who can sign in; false when there is one. */
export async function createFirstAdmin(store: Store, row: NewUserRecord): Promise<boolean> {
  const first = await store.db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('parley.first-admin'))`)
    if ((await lockAdmins(tx)).length > 0) return false
    await insertAll(tx, [row])
    return true
  })
  if (first) await publishAll(store, [row])
  return first
}

/** Writes the given fields. `evenLast` is for parley.yaml, which may leave no administrator. */
export async function updateUser(store: Store, id: string, fields: Partial<UserRecord>, evenLast = false): Promise<UserWrite> {
  const resigns = !evenLast && (fields.role === 'user' || fields.enabled === false || fields.passwordHash === null)
  const result = await store.db.transaction(async (tx): Promise<UserWrite> => {
    if (resigns && (await isLastAdmin(tx, id))) return 'last'
    const rows = await tx
      .update(users)
      .set({ ...fields, id })
      .where(eq(users.id, id))
      .returning({ id: users.id })
    return rows.length > 0 ? 'done' : 'gone'
  })
  await store.changes.publish('users', id)
  return result
}

/** Deletes the user with keys, management keys, sessions and memberships; wallet, entries, usage rows and keys of teams stay. */
export async function deleteUser(store: Store, id: string): Promise<UserWrite> {
  const gone = await store.db.transaction(async (tx) => {
    if (await isLastAdmin(tx, id)) return 'last'
    const keys = await tx.delete(apiKeys).where(eq(apiKeys.userId, id)).returning({ id: apiKeys.id })
    const places = await tx.delete(teamMembers).where(eq(teamMembers.userId, id)).returning({ id: teamMembers.id })
    const managing = await tx.delete(managementKeys).where(eq(managementKeys.userId, id)).returning({ id: managementKeys.id })
    const ended = await tx.delete(sessions).where(eq(sessions.userId, id)).returning({ digest: sessions.digest })
    const rows = await tx.delete(users).where(eq(users.id, id)).returning({ id: users.id })
    // After the user: none of their bodies can be inserted from now on.
    await deleteBodiesOf(tx, id)
    await deleteStateOf(tx, id)
    return { found: rows.length > 0, keys, places, managing, ended }
  })
  if (gone === 'last') return 'last'
  await store.changes.publish('users', id)
  for (const key of gone.keys) await store.changes.publish('api_keys', key.id)
  for (const place of gone.places) await store.changes.publish('team_members', place.id)
  for (const key of gone.managing) await store.changes.publish('management_keys', key.id)
  for (const session of gone.ended) await store.changes.publish('sessions', session.digest)
  return gone.found ? 'done' : 'gone'
}

/** Posts opening grants, by user id, each only once in a user's life; returns the ids for which this call posted. */
export async function postOpenings(store: Store, openings: ReadonlyMap<string, Grant>): Promise<string[]> {
  const postings = new Map([...openings].map(([userId, opening]) => [userId, openingOf(userId, opening)]))
  const posted = await store.db.transaction((tx) => postGrants(tx, [...postings.values()]))
  const userIds = [...postings].flatMap(([userId, { ref }]) => (posted.has(ref) ? [userId] : []))
  for (const userId of userIds) await store.changes.publish('accounts', userId)
  return userIds
}

/**
 * Posts a credit under an idempotency key. `repeated`: the same credit was posted under it before; `conflict`: the key was used for a
 * different one. A negative credit first asks every instance to return what it can spare of its lease. Rejects with the driver's
 * check violation when less is available than deducted, and with out of range when the wallet cannot hold the sum. `beside` runs in
 * the transaction that posts it.
 */
export async function postCredit(store: Store, userId: string, key: string, credit: Grant, beside: Beside): Promise<Credited> {
  for (let tries = 1; ; tries++) {
    try {
      const done = await postOnce(store, userId, key, credit, beside)
      if (done === 'posted') await store.changes.publish('accounts', userId)
      return done
    } catch (thrown) {
      if (sqlState(thrown) !== checkViolation || tries > recalls) throw thrown
      await store.changes.publish('leases', userId)
      // This instance has returned its part already; others get the request a moment later.
      if (store.engine === 'postgres') await store.db.execute(sql`select pg_sleep(${recallSeconds})`)
    }
  }
}

const recalls = 5
const recallSeconds = 0.1

function postOnce(store: Store, userId: string, key: string, credit: Grant, beside: Beside): Promise<Credited> {
  const ref = `credit:${key}`
  return onRecord(store, async (store) => {
    if (await postGrant(store.db, { ...credit, walletId: userId, ref, kind: 'credit' })) {
      // Leased money counts too: a balance that exceeds the column could no longer be read.
      await readWallets(store.db, [userId])
      await beside(store)
      return 'posted'
    }
    const [before] = await store.db.select().from(entries).where(eq(entries.ref, ref))
    return before?.walletId === userId && before.amount === credit.amount && before.reason === credit.reason ? 'repeated' : 'conflict'
  })
}

async function insertAll(tx: Db, rows: readonly NewUserRecord[]): Promise<void> {
  const made = rows.map(({ user }) => user)
  await inLots(made, (lot) => tx.insert(users).values(lot))
  await openWallets(
    tx,
    made.map(({ id }) => id),
  )
  const openings = rows.flatMap(({ user, opening }) => (opening ? [openingOf(user.id, opening)] : []))
  await postGrants(tx, openings)
  const keys = rows.flatMap(({ key }) => key ?? [])
  await inLots(keys, (lot) => tx.insert(apiKeys).values(lot))
}

async function publishAll(store: Store, rows: readonly NewUserRecord[]): Promise<void> {
  for (const { user } of rows) await store.changes.publish('users', user.id)
  for (const { key } of rows) if (key) await store.changes.publish('api_keys', key.id)
}

/** The posting of an opening grant: only once per wallet. */
export const openingOf = (walletId: string, opening: Grant): Posting => ({ ...opening, walletId, ref: `grant:${walletId}`, kind: 'grant' })

/** Administrators who can sign in, locked until the transaction ends, so that two of them cannot be removed concurrently. */
function lockAdmins(tx: Db): Promise<{ id: string }[]> {
  return tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.role, 'admin'), eq(users.enabled, true), isNotNull(users.passwordHash)))
    .for('update')
}

async function isLastAdmin(tx: Db, id: string): Promise<boolean> {
  const admins = await lockAdmins(tx)
  return admins.length === 1 && admins[0]?.id === id
}
