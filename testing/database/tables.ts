/** The tables behind a store, for tests that must look under the floor: what is really written there, and a clean start. */
import { sql } from 'drizzle-orm'
import type { Store } from '#store/engine/store'

/** Runs one statement as it stands. Only for fixed text of a test. */
export async function runSql({ db }: Store, statement: string): Promise<void> {
  await db.execute(sql.raw(statement))
}

/** Every row of the tables as text, in an order that does not change by itself. */
export async function dumpTables({ db }: Store, tables: readonly string[]): Promise<string> {
  const rows = []
  for (const table of tables) rows.push(await db.execute(sql`select * from ${sql.identifier(table)} order by 1`))
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}
