/** Reads tables of a SQLite file that belongs to another program. */
import { DatabaseSync } from 'node:sqlite'

/** All rows of these tables, by name; a missing table has none. Blocks. Throws for a file that is not a database. */
export function readTables(path: string, names: readonly string[]): Record<string, Record<string, unknown>[]> {
  const file = new DatabaseSync(path, { readOnly: true })
  try {
    const there = new Set(
      file
        .prepare(`select name from sqlite_master where type = 'table'`)
        .all()
        .map(({ name }) => String(name)),
    )
    const rows = (name: string) => (there.has(name) ? (file.prepare(`select * from "${name}"`).all() as Record<string, unknown>[]) : [])
    return Object.fromEntries(names.map((name) => [name, rows(name)]))
  } finally {
    file.close()
  }
}
