/**
 * Statements that the embedded engine prepares once and keeps: a call is then one message in and one out, where an ordinary query takes
 * six and is parsed and planned each time. Rows may follow a statement in the same message, and so in the same transaction. Runs in the
 * worker.
 */
import { type PGlite, protocol } from '@electric-sql/pglite'
import { copyMark, preparedMark } from './prepared.ts'

const { serialize } = protocol

/** A prepared statement, and the COPY statements after it. */
interface Statement {
  name: string
  columns: string[]
  copies: string[]
}

/** The prepared statements of one database. */
export interface Statements {
  /**
   * Undefined when the statement is not marked for preparing. Columns of the rows are texts. Where copies follow it, the last
   * parameters are their rows.
   */
  run(sql: string, params: readonly unknown[]): Promise<Record<string, string | null>[]> | undefined
}

/** None is prepared yet. */
export function createStatements(database: PGlite): Statements {
  const known = new Map<string, Statement>()
  const encoder = new TextEncoder()
  let names = 0

  async function prepare(whole: string): Promise<Statement> {
    const [text = '', ...copied] = whole.split(copyMark)
    const { name, columns } = await prepareOne(text)
    const copies: string[] = []
    for (const into of copied) copies.push((await prepareOne(`copy ${into} from stdin`)).name)
    const statement = { name, columns, copies }
    known.set(whole, statement)
    return statement
  }

  async function prepareOne(text: string): Promise<{ name: string; columns: string[] }> {
    const name = `prepared_${names++}`
    const columns: string[] = []
    const answers = await send(serialize.parse({ name, text }), serialize.describe({ type: 'S', name }))
    for (const answer of answers) {
      if (answer instanceof protocol.messages.RowDescriptionMessage) columns.push(...answer.fields.map((field) => field.name))
    }
    return { name, columns }
  }

  const send = (...messages: Uint8Array[]) => database.execProtocolStream(joined([...messages, serialize.sync()]))

  /** A copy without rows is skipped. */
  const copyMessages = (statement: string, rows: string): Uint8Array[] =>
    rows === ''
      ? []
      : [
          ...[serialize.bind({ statement }), serialize.execute({})],
          ...[serialize.copyData(encoder.encode(rows).buffer), serialize.copyDone()],
        ]

  async function execute(text: string, params: readonly unknown[]): Promise<Record<string, string | null>[]> {
    const { name, columns, copies } = known.get(text) ?? (await prepare(text))
    const texts = params.map((param) => (param === null ? null : String(param)))
    const values = texts.slice(0, texts.length - copies.length)
    const copied = copies.flatMap((copy, n) => copyMessages(copy, texts[values.length + n] ?? ''))
    const rows: Record<string, string | null>[] = []
    for (const answer of await send(serialize.bind({ statement: name, values }), serialize.execute({}), ...copied)) {
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
