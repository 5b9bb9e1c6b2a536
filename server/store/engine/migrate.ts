/**
 * Migrates a database to this build's schema: applies every pending file of `db/migrations` in one transaction, under a lock that
 * other instances wait for. The record of applied migrations is drizzle-kit's.
 */
import { sql } from 'drizzle-orm'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { type Clock, systemClock } from '#runtime/clock'
import { packagePath } from '#runtime/package-file'
import { readIfThere } from '#runtime/small-file'
import { returned } from './rows.ts'
import { lockNotAvailable, sqlState } from './sql-state.ts'
import type { Db } from './store.ts'

const folder = packagePath('db/migrations')
/** An arbitrary number; the same in every build. */
const lockKey = 727_539_264

/** The migrations of this build, oldest first. */
export function knownMigrations(): readonly MigrationMeta[] {
  return readMigrationFiles({ migrationsFolder: folder })
}

/** While a statement waits for a table lock, all later ones queue behind it: so it gives up soon, and is retried. */
const lockMs = 1_000
const pauseMs = 1_000
const mostTries = 60

/**
 * Applies pending migrations. Throws an Error with a message for the operator when a newer build has migrated the database, or when
 * others keep its tables busy for minutes.
 */
export async function migrate(
  db: Db,
  log: (message: string) => void,
  known = knownMigrations(),
  clock: Pick<Clock, 'sleep'> = systemClock,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await migrateAtOnce(db, log, known)
    } catch (thrown) {
      if (sqlState(thrown) !== lockNotAvailable) throw thrown
      if (tries === mostTries) throw new Error('cannot migrate the database: its tables are in use', { cause: thrown })
      if (tries === 1) log('Waiting for tables that are in use...')
      await clock.sleep(pauseMs)
    }
  }
}

async function migrateAtOnce(db: Db, log: (message: string) => void, known: readonly MigrationMeta[]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 0`)
    await tx.execute(sql`select pg_advisory_xact_lock(${sql.raw(String(lockKey))})`)
    await tx.execute(sql`create schema if not exists drizzle`)
    await tx.execute(
      sql`create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`,
    )
    const pending = pendingAfter(await newestApplied(tx), known)
    if (pending.length > 0) log('Migrating the database...')
    // Not for the lock above, which another instance may hold for as long as it migrates.
    await tx.execute(sql`set local lock_timeout = ${sql.raw(String(lockMs))}`)
    for (const migration of pending) await apply(tx, migration).catch(refuse)
  })
}

/** The names of pending migrations, oldest first. Throws as `migrate` does, and writes nothing. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const known = knownMigrations()
  const pending = pendingAfter(await newestApplied(db), known)
  return namesOf(known.length - pending.length)
}

/** The names of this build's migrations from index `from` on. */
export async function namesOf(from: number): Promise<string[]> {
  const journal: { entries: { tag: string }[] } = JSON.parse((await readIfThere(`${folder}/meta/_journal.json`)) ?? '{"entries":[]}')
  return journal.entries.slice(from).map(({ tag }) => tag)
}

function pendingAfter(newest: number | undefined, known: readonly MigrationMeta[]): MigrationMeta[] {
  if (newest !== undefined && !known.some(({ folderMillis }) => folderMillis === newest)) {
    throw new Error('the database is newer than this Parley; start the version that migrated it, or a later one')
  }
  return known.filter(({ folderMillis }) => newest === undefined || folderMillis > newest)
}

/** The newest applied migration; undefined when none was. */
export async function newestApplied(db: Db): Promise<number | undefined> {
  const [record] = returned<{ there: boolean }>(
    await db.execute(sql`select to_regclass('drizzle.__drizzle_migrations') is not null as there`),
  )
  if (!record?.there) return undefined
  const rows = returned<{ newest: unknown }>(await db.execute(sql`select max(created_at) as newest from drizzle.__drizzle_migrations`))
  const newest = rows[0]?.newest
  return newest === null || newest === undefined ? undefined : Number(newest)
}

async function apply(db: Db, migration: MigrationMeta): Promise<void> {
  for (const statement of migration.sql) await db.execute(sql.raw(statement))
  await db.execute(sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${migration.hash}, ${migration.folderMillis})`)
}

/** Drizzle's own message is the whole statement, so the cause is used. */
function refuse(thrown: unknown): never {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown
  throw new Error(`cannot migrate the database: ${cause instanceof Error ? cause.message : cause}`, { cause: thrown })
}
