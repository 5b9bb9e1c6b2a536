/**
 * The usual call of an instance: its leases pay for every line. PostgreSQL gets the rows as one array for each column, in one statement;
 * the embedded engine copies them after it, straight into the table of their month.
 */
import { sql } from 'drizzle-orm'
import { type CopiedRows, preparedStatement, runPrepared, runThenCopy } from '#store/engine/prepared'
import { returned } from '#store/engine/rows'
import { sqlState } from '#store/engine/sql-state'
import type { Db, Store } from '#store/engine/store'
import type { BookLine } from './book-line.ts'
import { logColumnCount, logColumns, numberArray, storable, sumLines, textArray } from './line-columns.ts'
import { TakesPaused } from './recoveries.ts'
import { rowCopies } from './row-copies.ts'

/** The database; without the engine's name rows go as on PostgreSQL. */
export type BooksPlace = Pick<Store, 'db'> & Partial<Pick<Store, 'engine'>>

/** The part of a call of `leases.ts` that is written. */
interface UsualCall {
  instance: bigint
  seq: bigint
  acknowledged?: bigint
  lines: readonly BookLine[]
  own: readonly { account: string; back: bigint; held: bigint }[]
  ask: readonly unknown[]
}

/**
 * Errors that leave nothing changed: the call is not usual, a line is already known, or the month tables have changed.
 */
const unusualStates: ReadonlySet<string | undefined> = new Set(['PF002', '23505', '23514', '42P01'])

/** The answer of the database; undefined: the call is not usual, and nothing was done. */
export async function usualCall(place: BooksPlace, call: UsualCall): Promise<string | undefined> {
  try {
    return await syncRows(place, call)
  } catch (thrown) {
    if (!unusualStates.has(sqlState(thrown))) throw thrown
    months.delete(place.db)
    return undefined
  }
}

async function syncRows({ db, engine }: BooksPlace, { instance, seq, acknowledged = 0n, lines, own, ask }: UsualCall): Promise<string> {
  const fresh = distinct(lines)
  const { accounts, owners, since, till } = sumLines(fresh)
  const held = new Map<string, bigint>()
  for (const { account, back, held: amount } of own) if (back === 0n) held.set(account, amount)
  const parts = [...new Set([...accounts.keys(), ...held.keys()])]
  const numbers = [instance, seq, acknowledged].map(String)
  const sums = [
    textArray(parts),
    numberArray(parts.map((account) => accounts.get(account)?.amount ?? 0n)),
    numberArray(parts.map((account) => held.get(account))),
    numberArray(parts.map((account) => accounts.get(account)?.lines ?? 0)),
    textArray(owners.map(({ of }) => of)),
    textArray(owners.map(({ id }) => id)),
    numberArray(owners.map(({ lines }) => lines)),
    ...[since, till].map((instant) => instant.toISOString()),
    ...[own.filter(({ back }) => back !== 0n), ask].map(jsonOf),
  ]
  if (engine === 'embedded') {
    // Copies after a statement run even where it returns no row: so this check runs first; nothing can run in between.
    if (ask.length > 0 && returned(await runPrepared(db, mayTakeStatement, [])).length === 0) throw new TakesPaused()
    return answerIn(await runThenCopy(db, partsStatement, [...numbers, String(fresh.length), ...sums], await copiesOf(db, fresh)))
  }
  return answerIn(await runPrepared(db, ask.length > 0 ? takingStatement : linesStatement, [...numbers, ...arraysOf(fresh), ...sums]))
}

function answerIn(result: unknown): string {
  const [row] = returned<{ answer: string }>(result)
  if (!row) throw new TakesPaused()
  return row.answer
}

const arraysOf = (lines: readonly BookLine[]): string[] => [
  ...logColumns(lines),
  numberArray(lines.map(({ owed }) => owed)),
  textArray(lines.map(({ accounts: [wallet] }) => wallet)),
]

const parametersOf = (count: number) => Array.from({ length: count }, (_, n) => `$${n + 1}`)
/** The columns, and the numbers around them as in the call above. */
const linesCall = `select books_sync_lines(${parametersOf(3 + logColumnCount + 13)}) as answer`
const linesStatement = preparedStatement('books_sync_lines', linesCall)
const takingStatement = preparedStatement('books_sync_lines_taking', `${linesCall} from books_may_take()`)
const partsStatement = preparedStatement('books_sync_parts', `select books_sync_parts(${parametersOf(4 + 11)}) as answer`)
const mayTakeStatement = preparedStatement('books_may_take', 'select books_may_take()')

/** Only the first line of each request. */
function distinct(lines: readonly BookLine[]): readonly BookLine[] {
  const seen = new Set(lines.map(({ row }) => row.requestId))
  if (seen.size === lines.length) return lines
  return lines.filter(({ row }) => seen.delete(row.requestId))
}

/** The months that have a table, as last read. */
const months = new WeakMap<Db, Promise<ReadonlySet<string>>>()

async function copiesOf(db: Db, lines: readonly BookLine[]): Promise<CopiedRows[]> {
  if (lines.length === 0) return []
  const asked = months.get(db) ?? monthsOf(db)
  months.set(db, asked)
  const known = await asked
  return rowCopies(lines, (hour) => {
    const month = `logs_${hour.toISOString().slice(0, 7).replace('-', '_')}`
    return known.has(month) ? month : 'logs_default'
  })
}

async function monthsOf(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.execute(
    sql`select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'logs'::regclass`,
  )
  return new Set(returned<{ name: string }>(rows).map(({ name }) => name))
}

const jsonOf = (value: unknown): string => JSON.stringify(value, storable)
