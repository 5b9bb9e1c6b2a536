/**
 * The migration that brings teams, on a database with usage rows: no file of a table or an index is written anew, so that it takes no longer
 * with a million rows than with none; keys and rows stay what they were. A deep run has the million.
 */
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { knownMigrations, migrate } from '#store/engine/migrate'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import { wrongBooks } from '#testing/books/invariants'
import { engines, throwawayDatabase } from '#testing/database/database'
import { runSql } from '#testing/database/tables'
import { isDeep } from '#testing/sample'

const rows = isDeep ? 1_000_000 : 5_000
/** Rows of a statement, which must end in time. */
const lot = 5_000

/** The file of each existing table and index. */
async function files({ db }: Store): Promise<Map<string, string>> {
  const found = await db.execute(sql`
    select relname as name, pg_relation_filenode(oid)::text as file from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')`)
  return new Map(returned<{ name: string; file: string }>(found).map(({ name, file }) => [name, file]))
}

test.if(engines.includes('postgres'))(
  'the migration of teams writes nothing anew',
  async () => {
    const base = await throwawayDatabase('postgres')
    const { store } = base
    for (const statement of ['drop schema drizzle cascade', 'drop schema public cascade', 'create schema public'])
      await runSql(store, statement)
    const known = knownMigrations()
    const before = known.findIndex(({ sql }) => sql.some((text) => text.includes('CREATE TABLE "teams"')))
    await migrate(store.db, () => {}, known.slice(0, before))
    for (const statement of [
      `insert into accounts (id, free) values ('u', 0)`,
      `insert into users (id, name, groups, created_at) values ('u', 'Ann', '{default}', now())`,
      `insert into api_keys (id, user_id, name, digest, hint, created_at) values ('k', 'u', 'ci', 'd', 'sk-...', now())`,
    ])
      await runSql(store, statement)
    for (let n = 0; n < rows; n += lot)
      await runSql(
        store,
        `insert into logs (request_id, at, user_id, key_id, "group", model, operation, dialect, stream, status, "end", cost, charged, losses, total_ms)
         select 'r' || n, timestamptz '2026-01-01 00:00Z' + n * interval '1 second', 'u', 'k', 'g', 'm', 'generate', 'chat', true, 200, 'complete',
           0, 0, '[]', 5 from generate_series(${n}, ${n + lot - 1}) n`,
      )
    const then = await files(store)
    const begun = Bun.nanoseconds()
    await migrate(store.db, () => {}, known)
    console.log(`${rows} rows: migrated in ${Math.round((Bun.nanoseconds() - begun) / 1e6)} ms`)
    const now = await files(store)
    expect([...then].filter(([name, file]) => now.get(name) !== file)).toEqual([])
    const added = [...now.keys()].filter((name) => !then.has(name))
    // The one index that 0037 makes, in each partition, beside what is there.
    expect(added.filter((name) => /^(logs|usage|entries)/.test(name) && !/^logs_(\w+_)?upstream_model/.test(name))).toEqual([])
    const [key] = returned<Record<string, unknown>>(await store.db.execute(sql`select user_id, team_id, maker_id from api_keys`))
    expect(key).toEqual({ user_id: 'u', team_id: null, maker_id: null })
    expect(await wrongBooks(store)).toEqual([])
    await base.close()
  },
  300_000,
)
