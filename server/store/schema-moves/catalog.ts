/**
 * The tables of a database with columns, partitions and sequences, read from the database's own catalog, so that tables added later
 * are moved without any change here.
 */
import { type SQL, sql } from 'drizzle-orm'
import { returned } from '#store/engine/rows'
import type { Db } from '#store/engine/store'

/** A table to move. */
export interface Table {
  name: string
  /** Sorted by name, without generated columns. */
  columns: Column[]
}

/** A column. */
export interface Column {
  name: string
  /** The type as written in a cast. */
  type: string
}

/** A partition of a table. */
export interface Partition {
  name: string
  parent: string
  /** `FOR VALUES ...` or `DEFAULT` */
  bound: string
}

/** A sequence and its position. */
export interface Sequence {
  name: string
  last: string
  called: boolean
}

/** The quoted name, qualified with the schema `public`. */
export const quoted = (name: string): SQL => sql`public.${sql.identifier(name)}`

const own = sql`c.relnamespace = 'public'::regnamespace
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`

/** All tables, referenced ones before those with foreign keys to them; a partitioned table counts as one. */
export async function readTables(db: Db): Promise<Table[]> {
  const tables = await rows<{ name: string; columns: string }>(
    db,
    sql`select c.relname as name, json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attname)::text as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where ${own} and c.relkind in ('r', 'p') and not c.relispartition group by c.relname order by c.relname`,
  )
  const pointers = await rows<{ from: string; to: string }>(
    db,
    sql`select distinct c.relname as from, t.relname as to from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class t on t.oid = f.confrelid
      where f.contype = 'f' and c.relnamespace = 'public'::regnamespace and c.oid <> t.oid`,
  )
  return inOrder(
    tables.map(({ name, columns }) => ({ name, columns: JSON.parse(columns) })),
    pointers,
  )
}

function inOrder(tables: readonly Table[], pointers: readonly { from: string; to: string }[]): Table[] {
  const ordered = new Set<Table>()
  const visited = new Set<Table>()
  function visit(table: Table): void {
    if (visited.has(table)) return
    visited.add(table)
    for (const { from, to } of pointers) {
      const target = from === table.name && tables.find(({ name }) => name === to)
      if (target) visit(target)
    }
    ordered.add(table)
  }
  for (const table of tables) visit(table)
  return [...ordered]
}

/** The partitions of a database. Bounds are written in the session's time zone, so it must be the same when they are applied. */
export function readPartitions(db: Db): Promise<Partition[]> {
  return rows(
    db,
    sql`select c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
      where ${own} and c.relispartition and c.relkind in ('r', 'p') order by p.relname, c.relname`,
  )
}

/** All sequences with their positions. */
export async function readSequences(db: Db): Promise<Sequence[]> {
  const names = await rows<{ name: string }>(
    db,
    sql`select c.relname as name from pg_class c where ${own} and c.relkind = 'S' order by c.relname`,
  )
  const sequences: Sequence[] = []
  for (const { name } of names) {
    const found = await rows<Omit<Sequence, 'name'>>(db, sql`select last_value::text as last, is_called as called from ${quoted(name)}`)
    sequences.push(...found.map((value) => ({ name, ...value })))
  }
  return sequences
}

/** True when the database has no user objects. */
export async function isEmpty(db: Db): Promise<boolean> {
  const [found] = await rows<{ any: boolean }>(
    db,
    sql`select exists (select from pg_class c where ${own} and c.relkind in ('r', 'p', 'S', 'v', 'm')) or to_regnamespace('drizzle') is not null as any`,
  )
  return found?.any === false
}

/** Drops everything that `isEmpty` or the migrations would trip over. Objects of extensions stay. */
export async function wipe(db: Db): Promise<void> {
  await db.execute(sql`drop schema if exists drizzle cascade`)
  await dropAll(db, 'view', sql`select c.relname as name from pg_class c where ${own} and c.relkind = 'v'`)
  await dropAll(db, 'materialized view', sql`select c.relname as name from pg_class c where ${own} and c.relkind = 'm'`)
  await dropAll(
    db,
    'table',
    sql`select c.relname as name from pg_class c where ${own} and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  await dropAll(db, 'sequence', sql`select c.relname as name from pg_class c where ${own} and c.relkind = 'S'`)
  const functions = await rows<{ signature: string }>(
    db,
    sql`select p.oid::regprocedure::text as signature from pg_proc p where p.pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
  )
  for (const { signature } of functions) await db.execute(sql.raw(`drop routine if exists ${signature} cascade`))
}

async function dropAll(db: Db, what: string, named: SQL): Promise<void> {
  for (const { name } of await rows<{ name: string }>(db, named)) {
    await db.execute(sql`drop ${sql.raw(what)} if exists ${quoted(name)} cascade`)
  }
}

async function rows<Row>(db: Db, statement: SQL): Promise<Row[]> {
  return returned<Row>(await db.execute(statement))
}
