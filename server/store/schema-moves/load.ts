/**
 * Restores a snapshot into a database exactly: triggers are disabled while rows are inserted, sequences continue where they were, and
 * at the end every table's checksum must equal the snapshot's.
 */
import { sql } from 'drizzle-orm'
import { knownMigrations, migrate } from '#store/engine/migrate'
import type { Db } from '#store/engine/store'
import { type Partition, quoted, readPartitions, readTables, type Table } from './catalog.ts'
import { type Contents, type Snapshot, settle, sumOf } from './snapshot.ts'

/** The result of a load. */
export interface Loaded {
  /** Tables of the snapshot that are not Parley's and were not copied. */
  leftOut: string[]
}

/**
 * Loads the snapshot in a transaction that the caller has begun and rolls back if this throws. An older snapshot is loaded into the
 * schema of its time and migrated from there; one with a newer schema is rejected.
 */
export async function load(tx: Db, snapshot: Snapshot, log: (message: string) => void, known = knownMigrations()): Promise<Loaded> {
  const ofItsTime = known.filter(({ folderMillis }) => folderMillis <= snapshot.level)
  if (ofItsTime.at(-1)?.folderMillis !== snapshot.level)
    throw new Error('it was written by a newer Parley; use that version, or a later one')
  await settle(tx)
  await migrate(tx, () => {}, ofItsTime)
  await settle(tx)
  const tables = await readTables(tx)
  const isOurs = (name: string) => tables.some((table) => table.name === name)
  await makePartitions(
    tx,
    snapshot.partitions.filter(({ parent }) => isOurs(parent)),
  )
  const leftOut = snapshot.tables.map(({ name }) => name).filter((name) => !isOurs(name))
  demandSameColumns(tables, snapshot)
  await withoutTriggers(tx, tables, () => fill(tx, tables, snapshot))
  for (const { name, last, called } of snapshot.sequences) {
    await tx.execute(sql`select setval(to_regclass(${`public.${JSON.stringify(name)}`}), ${last}::bigint, ${called})`)
  }
  await demandSameSums(tx, tables, snapshot)
  if (ofItsTime.length < known.length) await migrate(tx, log, known)
  return { leftOut }
}

/** Creates and drops partitions so that they are those of the snapshot. */
async function makePartitions(tx: Db, wanted: readonly Partition[]): Promise<void> {
  const there = await readPartitions(tx)
  const same = (a: Partition) => (b: Partition) => a.name === b.name && a.parent === b.parent && a.bound === b.bound
  for (const partition of there) if (!wanted.some(same(partition))) await tx.execute(sql`drop table ${quoted(partition.name)}`)
  for (const partition of wanted) {
    if (there.some(same(partition))) continue
    await tx.execute(sql`create table ${quoted(partition.name)} partition of ${quoted(partition.parent)} ${sql.raw(partition.bound)}`)
  }
}

function demandSameColumns(tables: readonly Table[], { tables: wanted }: Contents): void {
  for (const { name, columns } of tables) {
    const there = wanted.find((table) => table.name === name)
    if (!there) throw new Error(`the table ${name} is missing`)
    if (columns.map((column) => column.name).join() !== there.columns.join()) throw new Error(`the table ${name} has other columns`)
  }
}

async function withoutTriggers(tx: Db, tables: readonly Table[], work: () => Promise<void>): Promise<void> {
  const names = [...tables, ...(await readPartitions(tx))].map(({ name }) => name)
  for (const name of names) await tx.execute(sql`alter table ${quoted(name)} disable trigger user`)
  await work()
  for (const name of names) await tx.execute(sql`alter table ${quoted(name)} enable trigger user`)
}

async function fill(tx: Db, tables: readonly Table[], snapshot: Snapshot): Promise<void> {
  // A migration may have inserted rows.
  for (const { name } of tables.toReversed()) await tx.execute(sql`delete from ${quoted(name)}`)
  for await (const { table: name, rows } of snapshot.batches()) {
    const table = tables.find((one) => one.name === name)
    if (!table) continue
    const names = table.columns.map((column) => sql.identifier(column.name))
    const values = table.columns.map(({ type }, at) => sql`(r ->> ${sql.raw(String(at))})::${sql.raw(type)}`)
    await tx.execute(sql`insert into ${quoted(name)} (${sql.join(names, sql`, `)}) overriding system value
      select ${sql.join(values, sql`, `)} from json_array_elements(${rows}::text::json) as r`)
  }
}

async function demandSameSums(tx: Db, tables: readonly Table[], { tables: wanted }: Contents): Promise<void> {
  for (const { name, columns, rows, sum } of wanted) {
    if (!tables.some((table) => table.name === name)) continue
    const now = await sumOf(tx, name, columns)
    if (now.rows !== rows || now.sum !== sum) throw new Error(`the checksum of table ${name} does not match; nothing was written`)
  }
}
