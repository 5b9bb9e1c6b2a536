/**
 * A consistent snapshot of a database: its content, a checksum per table, and the rows as a stream. Rows are lists of texts, each
 * value as the database prints it, so that nothing is lost between engines, versions and files.
 */
import { type SQL, sql } from 'drizzle-orm'
import { newestApplied } from '#store/engine/migrate'
import { returned } from '#store/engine/rows'
import type { Db } from '#store/engine/store'
import { type Partition, quoted, readPartitions, readSequences, readTables, type Sequence } from './catalog.ts'

/** What a snapshot contains. */
export interface Contents {
  /** The newest applied migration. */
  level: number
  /** In an order in which foreign keys allow loading them. */
  tables: TableSum[]
  partitions: Partition[]
  sequences: Sequence[]
}

/** A table with its row count and checksum. */
export interface TableSum {
  name: string
  columns: string[]
  rows: number
  /** Independent of the order of rows: 32 hexadecimal digits. */
  sum: string
}

/** Some rows of one table: a JSON list of rows, each a list of texts and nulls in the order of the columns. */
export interface Batch {
  table: string
  rows: string
}

/** A snapshot with its rows. */
export interface Snapshot extends Contents {
  /** Identifies the source database, under whatever URL (`isMarked`); a file has none. */
  mark?: string
  /** Table after table, in the order of `tables`. To be read once, to the end. */
  batches(): AsyncIterable<Batch>
}

/** Runs `work` with a snapshot of the current state, while others go on writing. */
export function withSnapshot<T>(db: Db, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const reading = async (tx: Db) => {
    const contents = await readContents(tx)
    const mark = await setMark(tx)
    return work({ ...contents, mark, batches: () => batches(tx, contents.tables) })
  }
  return db.transaction(reading, { isolationLevel: 'repeatable read', accessMode: 'read only' })
}

/** Locks a random number: within one database only one transaction can have it. */
async function setMark(tx: Db): Promise<string> {
  const [{ mark } = { mark: '0' }] = returned<{ mark: string }>(await tx.execute(sql`select (random() * 9e18)::bigint::text as mark`))
  await tx.execute(sql`select pg_advisory_xact_lock(${mark}::bigint)`)
  return mark
}

/** True when the snapshot with this mark is being read from this database. Must run in another transaction. */
export async function isMarked(tx: Db, mark: string): Promise<boolean> {
  const result = await tx.execute(sql`select not pg_try_advisory_xact_lock(${mark}::bigint) as marked`)
  return returned<{ marked: boolean }>(result)[0]?.marked === true
}

/** The current content, in a transaction that the caller has begun. Throws when it is not a Parley database. */
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

/** Seconds to wait for locks. */
export const lockSeconds = 10

/**
 * Configures the transaction so that values print and parse the same everywhere, without a statement timeout but with a limit on lock
 * waits.
 */
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

/** Row count and checksum: the sum of the rows' digests, so order does not matter and duplicates count. */
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

/** Characters per batch. */
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
