/** Direct access to a store's tables, for tests that check what is really stored, or reset it. */
import { sql } from 'drizzle-orm'
import type { Store } from '#store/engine/store'

/** Runs one statement as is; only for a test's fixed text. */
export async function runSql({ db }: Pick<Store, 'db'>, statement: string): Promise<void> {
  await db.execute(sql.raw(statement))
}

/** Every row of the tables as text, in a stable order. */
export async function dumpTables({ db }: Store, tables: readonly string[]): Promise<string> {
  const rows = []
  for (const table of tables) rows.push(await db.execute(sql`select * from ${sql.identifier(table)} order by 1`))
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? value.toString() : value))
}
