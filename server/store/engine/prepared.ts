/** Statements that run all the time: they are parsed and planned once per connection. */
import type { Db } from './store.ts'

/** Begins the text of such a statement, so that both engines know it. */
export const preparedMark = '/* prepared */ '

/** A statement whose parameters are texts, of any type that PostgreSQL reads from text, and whose columns are texts. */
export interface PreparedStatement {
  /** Different for every statement. */
  name: string
  text: string
}

/** Makes one. */
export const preparedStatement = (name: string, text: string): PreparedStatement => ({ name, text: preparedMark + text })

/** Runs the statement; `returned` gives its rows. */
export function runPrepared(db: Db, { name, text }: PreparedStatement, values: readonly string[]): Promise<unknown> {
  return db._.session.prepareQuery({ sql: text, params: [...values] }, undefined, name, false).execute()
}
