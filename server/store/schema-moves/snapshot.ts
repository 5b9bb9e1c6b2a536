/**
 * A database at one moment: what is in it, the checksum of every table, and the rows themselves as a stream. Rows travel as lists
 * of text, each value as the database writes it, so that nothing is lost on the way between engines, versions and files.
 */
import { type SQL, sql } from 'drizzle-orm'
import { newestApplied } from '#store/engine/migrate'
import { returned } from '#store/engine/rows'
import type { Db } from '#store/engine/store'
import { type Partition, quoted, readPartitions, readSequences, readTables, type Sequence } from './catalog.ts'

export interface Contents {
  /** The newest migration that was applied. */
  level: number
  /** In an order in which they can be filled. */
  tables: TableSum[]
  partitions: Partition[]
  sequences: Sequence[]
}

export interface TableSum {
  name: string
  columns: string[]
  rows: number
  /** The same for the same rows in whatever order: 32 hexadecimal digits. */
  sum: string
}

/** Some rows of one table: a JSON list of rows, each a list of texts and nulls in the order of the columns. */
export interface Batch {
  table: string
  rows: string
}

export interface Snapshot extends Contents {
  /** By which the database that it is read from is known, under whatever name (`isMarked`); a file has none. */
  mark?: string
  /** Table after table, in the order of `tables`. To be read once, to its end. */
  batches(): AsyncIterable<Batch>
}

/** Reads everything as it is at one moment, while others go on writing. */
export function withSnapshot<T>(db: Db, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const reading = async (tx: Db) => {
    const contents = await readContents(tx)
    const mark = await setMark(tx)
    return work({ ...contents, mark, batches: () => batches(tx, contents.tables) })
  }
  return db.transaction(reading, { isolationLevel: 'repeatable read', accessMode: 'read only' })
}

/** A lock on a number that nobody else thinks of: within one database only one transaction has it. */
async function setMark(tx: Db): Promise<string> {
  const [{ mark } = { mark: '0' }] = returned<{ mark: string }>(await tx.execute(sql`select (random() * 9e18)::bigint::text as mark`))
  await tx.execute(sql`select pg_advisory_xact_lock(${mark}::bigint)`)
  return mark
}

/** Whether this is the very database that a snapshot with that mark is being read from. Asked in another transaction. */
export async function isMarked(tx: Db, mark: string): Promise<boolean> {
  const result = await tx.execute(sql`select not pg_try_advisory_xact_lock(${mark}::bigint) as marked`)
  return returned<{ marked: boolean }>(result)[0]?.marked === true
}

/** What is there now, in a transaction that the caller has begun. Throws when it is no database of Parley's. */
export async function readContents(tx: Db): Promise<Contents> {
  await settle(tx)
  const level = await newestApplied(tx)
  if (level === undefined) throw new Error('that is no database of Parley’s')
  const tables: TableSum[] = []
  for (const { name, columns } of await readTables(tx)) {
    const names = columns.map((column) => column.name)
    tables.push(await sumOf(tx, name, names))
  }
  return { level, tables, partitions: await readPartitions(tx), sequences: await readSequences(tx) }
}

/** How long is waited for what others have locked. */
export const lockSeconds = 10

/** Values must read and write the same everywhere, and take as long as it takes, but not wait for ever on others. */
export async function settle(tx: Db): Promise<void> {
  const wanted = { timezone: 'UTC', datestyle: 'ISO, YMD', intervalstyle: 'postgres', bytea_output: 'hex', extra_float_digits: '1' }
  const patience = { statement_timeout: '0', idle_in_transaction_session_timeout: '0', lock_timeout: `${lockSeconds}s` }
  for (const [name, value] of Object.entries({ ...wanted, ...patience })) await tx.execute(sql`select set_config(${name}, ${value}, true)`)
}

const rowText = (columns: readonly string[]): SQL =>
  sql`array_to_json(array[${sql.join(
    columns.map((name) => sql`${sql.identifier(name)}::text`),
    sql`, `,
  )}]::text[])::text`

/** Counts and adds up the digests of the rows: no order, and a row that is there twice counts twice. */
export async function sumOf(tx: Db, name: string, columns: string[]): Promise<TableSum> {
  const half = (from: number) => sql.raw(`coalesce(sum(('x' || substr(digest, ${from}, 16))::bit(64)::bigint), 0)::text`)
  const result = await tx.execute(
    sql`select count(*)::text as rows, ${half(1)} as a, ${half(17)} as b
      from (select encode(sha256(convert_to(${rowText(columns)}, 'UTF8')), 'hex') as digest from ${quoted(name)}) as digests`,
  )
  const [{ rows, a, b } = { rows: '0', a: '0', b: '0' }] = returned<{ rows: string; a: string; b: string }>(result)
  return { name, columns, rows: Number(rows), sum: hex(a) + hex(b) }
}

const hex = (sum: string) => BigInt.asUintN(64, BigInt(sum)).toString(16).padStart(16, '0')

/** Characters. */
const batchSize = 2_000_000
const mostRows = 1000

async function* batches(tx: Db, tables: readonly TableSum[]): AsyncGenerator<Batch> {
  for (const { name, columns } of tables) {
    await tx.execute(sql`declare parley_rows no scroll cursor for select ${rowText(columns)} as row from ${quoted(name)}`)
    for (let ask = 20; ask > 0; ) {
      const found = returned<{ row: string }>(await tx.execute(sql.raw(`fetch ${ask} from parley_rows`)))
      const rows = found.map(({ row }) => row).join(',')
      if (found.length > 0) yield { table: name, rows: `[${rows}]` }
      ask = found.length === 0 ? 0 : Math.max(1, Math.min(mostRows, ask * 4, Math.floor((batchSize * found.length) / rows.length)))
    }
    await tx.execute(sql`close parley_rows`)
  }
}
