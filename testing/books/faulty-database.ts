/** A throwaway PostgreSQL database that can be made to fail, as real ones do, while a program uses it. */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import * as schema from '#db/schema'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { type Cuttable, cuttable } from '#testing/upstream/cuttable'
import { wrongBooks } from './invariants.ts'

/** A database and the faults that a test can cause in it. */
export interface FaultyDatabase extends Cuttable {
  /** Runs one statement on a connection of the test's own, unaffected by the faults. */
  run<Row = Record<string, unknown>>(statement: string): Promise<Row[]>
  /** The server terminates every connection of the program. */
  endConnections(): Promise<void>
  /** The database refuses writes, as a standby does; open connections are terminated. */
  readOnly(on: boolean): Promise<void>
  /** One in `every` writes to these tables fails with this SQLSTATE; undefined ends the fault. */
  failWrites(tables: readonly string[], state: string | undefined, every?: number): Promise<void>
  /** Locks these tables against all reads and writes. Answers a function that releases the lock. */
  lock(tables: readonly string[]): Promise<() => Promise<void>>
  /** Every account and request that breaks an invariant of the books; empty if the books are correct. */
  wrongs(): Promise<unknown[]>
  drop(): Promise<void>
}

/** Creates the database, without tables; call `drop` when done. */
export async function faultyDatabase(): Promise<FaultyDatabase> {
  const database = await newPostgresDatabase()
  const way = await cuttable(database.url)
  const client = postgres(database.url, { max: 3, onnotice: () => {}, connection: { default_transaction_read_only: false } })
  const name = new URL(database.url).pathname.slice(1)

  const run = async <Row>(statement: string) => (await client.unsafe(statement)) as unknown as Row[]
  const endConnections = async () => {
    await run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and application_name = 'parley'`)
  }
  return {
    ...way,
    run,
    endConnections,
    async readOnly(on) {
      await run(`alter database ${name} set default_transaction_read_only = ${on ? 'on' : 'off'}`)
      await endConnections()
    },
    async failWrites(tables, state, every = 1) {
      for (const table of tables) await run(`drop trigger if exists faulty on ${table}`)
      if (state === undefined) return
      await run('create sequence if not exists faulty')
      await run(`create or replace function faulty() returns trigger language plpgsql as $$ begin
        if nextval('faulty') % ${every} = 0 then raise exception 'as if' using errcode = '${state}'; end if;
        return null; end $$`)
      for (const table of tables)
        await run(`create trigger faulty after insert or update or delete on ${table} for each statement execute function faulty()`)
    },
    async lock(tables) {
      const locked = Promise.withResolvers<void>()
      const release = Promise.withResolvers<void>()
      const holding = client.begin(async (tx) => {
        await tx.unsafe(`lock table ${tables.join(', ')} in access exclusive mode`)
        locked.resolve()
        await release.promise
      })
      await Promise.race([locked.promise, holding])
      return async () => {
        release.resolve()
        await holding
      }
    },
    wrongs: () => wrongBooks({ db: drizzle(client, { schema }) }),
    async drop() {
      await way.mend()
      await client.end({ timeout: 5 })
      await way.cut()
      await database.drop()
    },
  }
}
