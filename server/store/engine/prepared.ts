/** Frequent statements, parsed and planned once per connection. */
import type { Db } from './store.ts'

/** Prefix of such a statement, by which both engines recognise it. */
export const preparedMark = '/* prepared */ '
/** Stands before each COPY that follows a statement, on the embedded engine. */
export const copyMark = '; copy '

/** A statement whose parameters are texts, of any type that PostgreSQL reads from text, and whose columns are texts. */
export interface PreparedStatement {
  /** Different for every statement. */
  name: string
  text: string
}

/** Rows in the text format of COPY. */
export interface CopiedRows {
  /** The table and its columns. */
  into: string
  text: string
}

/** Creates one. */
export const preparedStatement = (name: string, text: string): PreparedStatement => ({ name, text: preparedMark + text })

/** Runs the statement; `returned` gives its rows. */
export function runPrepared(db: Db, { name, text }: PreparedStatement, values: readonly string[]): Promise<unknown> {
  return db._.session.prepareQuery({ sql: text, params: [...values] }, undefined, name, false).execute()
}

/** Runs the statement and then copies the rows, in one transaction and one message. On the embedded engine only. */
export function runThenCopy(
  db: Db,
  { name, text }: PreparedStatement,
  values: readonly string[],
  copies: readonly CopiedRows[],
): Promise<unknown> {
  const whole = { name, text: text + copies.map(({ into }) => `${copyMark}${into}`).join('') }
  return runPrepared(db, whole, [...values, ...copies.map((copy) => copy.text)])
}
