/** Reads tables of another program's database: a SQLite file, or a PostgreSQL or MySQL server by its URL. Nothing is ever written there. */
import { readTables } from './sqlite-file.ts'

/** Rows by column; times as `Date`, JSON parsed, numbers too large for a double as text. */
export type TableRows = Record<string, Record<string, unknown>[]>

/** Whether it is the URL of a server, and not a path. */
export const isDatabaseUrl = (place: string): boolean => /^(postgres(ql)?|mysql|mariadb):\/\//.test(place)

/**
 * A consistent snapshot of all rows of these tables, by name; a missing table has none. Rejects with the driver's error, which may name the
 * server, and for a file that is not a database.
 */
export async function foreignTables(place: string, names: readonly string[]): Promise<TableRows> {
  if (!isDatabaseUrl(place)) return readTables(place, names)
  return place.startsWith('postgres') ? fromPostgres(place, names) : fromMysql(place, names)
}

async function fromPostgres(url: string, names: readonly string[]): Promise<TableRows> {
  const { default: postgres } = await import('postgres')
  const sql = postgres(url, { max: 1, onnotice: () => undefined, connect_timeout: 15 })
  try {
    return await sql.begin('isolation level repeatable read read only', async (sql) => {
      const found: TableRows = {}
      for (const name of names) {
        const [there] = await sql`select to_regclass(${`"${name}"`}) as place`
        found[name] = there?.place == null ? [] : [...(await sql`select * from ${sql(name)}`)]
      }
      return found
    })
  } finally {
    await sql.end({ timeout: 5 })
  }
}

async function fromMysql(url: string, names: readonly string[]): Promise<TableRows> {
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({ uri: url.replace(/^mariadb:/, 'mysql:'), supportBigNumbers: true, connectTimeout: 15_000 })
  try {
    await connection.query('set transaction isolation level repeatable read, read only')
    await connection.query('start transaction with consistent snapshot')
    const [tables] = await connection.query('select table_name as name from information_schema.tables where table_schema = database()')
    const there = new Set((tables as { name: string }[]).map(({ name }) => name))
    const found: TableRows = {}
    for (const name of names) {
      const [rows] = there.has(name) ? await connection.query('select * from ??', [name]) : [[]]
      found[name] = (rows as Record<string, unknown>[]).map((row) => ({ ...row }))
    }
    return found
  } finally {
    await connection.end()
  }
}
