/**
 * Statements that the embedded engine prepares once and keeps: a call is then one message in and one out, where an ordinary query takes
 * six and is parsed and planned each time. Runs in the worker.
 */
import { type PGlite, protocol } from '@electric-sql/pglite'
import { preparedMark } from './prepared.ts'

const { serialize } = protocol

/** A statement that is prepared. */
interface Statement {
  name: string
  columns: string[]
}

/** The prepared statements of one database. */
export interface Statements {
  /** Undefined when the statement is not marked as one to be prepared. Columns of the rows are texts. */
  run(sql: string, params: readonly unknown[]): Promise<Record<string, string | null>[]> | undefined
}

/** None is prepared yet. */
export function createStatements(database: PGlite): Statements {
  const known = new Map<string, Statement>()

  async function prepare(text: string): Promise<Statement> {
    const name = `prepared_${known.size}`
    const columns: string[] = []
    const answers = await send(serialize.parse({ name, text }), serialize.describe({ type: 'S', name }))
    for (const answer of answers) {
      if (answer instanceof protocol.messages.RowDescriptionMessage) columns.push(...answer.fields.map((field) => field.name))
    }
    const statement = { name, columns }
    known.set(text, statement)
    return statement
  }

  const send = (...messages: Uint8Array[]) => database.execProtocolStream(joined([...messages, serialize.sync()]))

  async function execute(text: string, params: readonly unknown[]): Promise<Record<string, string | null>[]> {
    const { name, columns } = known.get(text) ?? (await prepare(text))
    const values = params.map((param) => (param === null ? null : String(param)))
    const rows: Record<string, string | null>[] = []
    for (const answer of await send(serialize.bind({ statement: name, values }), serialize.execute({}))) {
      if (!(answer instanceof protocol.messages.DataRowMessage)) continue
      rows.push(Object.fromEntries(answer.fields.map((field, n) => [columns[n] ?? '', field])))
    }
    return rows
  }

  return { run: (sql, params) => (sql.startsWith(preparedMark) ? execute(sql, params) : undefined) }
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
