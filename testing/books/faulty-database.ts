/** A database of its own that can be made to fail in every way that a server of PostgreSQL does, while a program uses it. */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import * as schema from '#db/schema'
import { newPostgresDatabase } from '#testing/database/postgres-server'
import { type Cuttable, cuttable } from '#testing/upstream/cuttable'
import { wrongBooks } from './invariants.ts'

export interface FaultyDatabase extends Cuttable {
  /** One statement, past all faults but its own. */
  run<Row = Record<string, unknown>>(statement: string): Promise<Row[]>
  /** Every other connection is ended by the server. */
  endConnections(): Promise<void>
  /** Writes are refused, as on a standby; whoever was connected is not any more. */
  readOnly(on: boolean): Promise<void>
  /** Writes to these tables fail with this SQLSTATE, one in `every`; undefined: they are well again. */
  failWrites(tables: readonly string[], state: string | undefined, every?: number): Promise<void>
  /** Nobody else can read or write these tables. Answers how to end that. */
  lock(tables: readonly string[]): Promise<() => Promise<void>>
  /** Every account and request that breaks a rule of the books; empty when they are right. */
  wrongs(): Promise<unknown[]>
  drop(): Promise<void>
}

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
