/** Reads the database of a stopped or running program through this build's store, for tests of what must survive upgrades. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { systemClock as clock, systemRandom as random } from '#runtime/clock'
import { openStore } from '#store/engine/open'
import { returned } from '#store/engine/rows'
import type { Store } from '#store/engine/store'
import { wrongBooks } from '#testing/books/invariants'

/** Read access to a database. */
export interface StoredView {
  store: Store
  select<Row = Record<string, unknown>>(statement: string): Promise<Row[]>
  /** `table.column` of every table with rows, sorted; partitions are listed as their parent table. */
  columns(): Promise<string[]>
  /** Every account and request that breaks an invariant of the books. */
  wrongBooks(): Promise<unknown[]>
  close(): Promise<void>
}

/** Opens and migrates the embedded database of a data folder that nothing else uses, or the PostgreSQL database at a URL. */
export async function openStoredView(where: { dataFolder: string } | { databaseUrl: string }): Promise<StoredView> {
  const scratch = await mkdtemp(join(tmpdir(), 'parley-view-'))
  const store = await openStore({ dataFolder: scratch, ...where, clock, random })
  const select = async <Row>(statement: string) => returned<Row>(await store.db.execute(sql.raw(statement)))
  return {
    store,
    select,
    async columns() {
      const rows = await select<{ name: string }>(`
        select c.table_name || '.' || c.column_name as name from information_schema.columns c
        join pg_class t on t.relname = c.table_name and t.relnamespace = c.table_schema::regnamespace
        where c.table_schema in ('public', 'drizzle') and t.relkind in ('r', 'p') and not t.relispartition`)
      return rows.map(({ name }) => name).sort()
    },
    wrongBooks: () => wrongBooks(store),
    close: () => store.close().finally(() => rm(scratch, { recursive: true, force: true })),
  }
}
