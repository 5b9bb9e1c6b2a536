/** An asynchronous standby of the one database: a copy of what was committed at some moment, which takes its place later. */
import { sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import { runSql } from '#testing/database/tables'

/** In the order in which they refer to each other. */
const tables = [
  'accounts',
  'instances',
  'leases',
  'entries',
  'logs',
  'unsettled',
  'usage_hours',
  'usage_marks',
  'usage_parts',
  'usage_parts_since',
  'usage_rollups',
  'usage_rollup_marks',
] as const

/** The standby stops following: it has what is committed now. */
export async function stopFollowing(store: Store): Promise<void> {
  await inOne(store, [
    'drop schema if exists standby cascade',
    'create schema standby',
    ...tables.map((table) => `create table standby.${table} as table public.${table}`),
  ])
}

/** The standby takes the place of the primary; answers how many rows of requests were lost. */
export async function failOver(store: Store): Promise<number> {
  const count = async () => Number(returned<{ n: string }>(await store.db.execute(sql`select count(*)::text as n from logs`))[0]?.n)
  const before = await count()
  await inOne(store, [
    // Entries are append-only; replica mode disables the triggers that enforce it.
    'set local session_replication_role = replica',
    `truncate ${tables.join(', ')}`,
    ...tables.map((table) => `insert into public.${table} overriding system value select * from standby.${table}`),
    `update recoveries set since = '-infinity', due = '{}'`,
    // By the database's own clock, which is not simulated.
    `set parley.recovery = '0 seconds'`,
  ])
  return before - (await count())
}

const inOne = ({ db }: Store, statements: readonly string[]): Promise<void> =>
  db.transaction(async (tx) => {
    for (const statement of statements) await runSql({ db: tx }, statement)
  })
