/**
 * The worker's side of the embedded engine: PGlite itself, off the main thread, so that a heavy query never stalls a stream.
 * One message in, one message out, in order.
 */
import { PGlite, types } from '@electric-sql/pglite'
import { createStatements, type Statements } from './embedded-statements.ts'

/** A request to the worker. */
export type Ask =
  | { id: number; kind: 'open'; folder: string }
  | { id: number; kind: 'query'; sql: string; params: readonly unknown[]; rowMode: 'array' | 'object' }
  | { id: number; kind: 'close' }

/** The worker's answer to the request with the same id. */
export interface Answer {
  id: number
  rows?: unknown[]
  affectedRows?: number
  fault?: Fault
}

/** A database error as plain data, because a structured clone would lose its fields. */
export interface Fault {
  message: string
  code?: string
  constraint?: string
}

/** Types passed on as text, since Drizzle parses them itself. JSON above all: parsed twice, the string "12" would become a number. */
const asText = [types.TIMESTAMP, types.TIMESTAMPTZ, types.DATE, types.INTERVAL, types.JSON, types.JSONB, 1115, 1185, 1182, 1187, 1231]
const parsers = Object.fromEntries(asText.map((type) => [type, (text: string) => text]))

let database: PGlite | undefined
let statements: Statements | undefined
/** Requests are answered one after the other. */
let last: Promise<void> = Promise.resolve()

self.onmessage = ({ data }: MessageEvent<Ask>) => {
  last = last.then(async () => self.postMessage(await answer(data)))
}

async function answer(ask: Ask): Promise<Answer> {
  try {
    return { id: ask.id, ...(await perform(ask)) }
  } catch (thrown) {
    return { id: ask.id, fault: faultOf(thrown) }
  }
}

async function perform(ask: Ask): Promise<Omit<Answer, 'id'>> {
  if (ask.kind === 'open') {
    database = await PGlite.create({ dataDir: ask.folder })
    statements = createStatements(database)
    return {}
  }
  if (database === undefined) throw new Error('the database is not open')
  if (ask.kind === 'close') {
    await database.close()
    return {}
  }
  const prepared = await statements?.run(ask.sql, ask.params)
  if (prepared) return { rows: prepared, affectedRows: 0 }
  const { rows, affectedRows = 0 } = await database.query(ask.sql, [...ask.params], { rowMode: ask.rowMode, parsers })
  return { rows, affectedRows }
}

function faultOf(thrown: unknown): Fault {
  const { message, code, constraint } = thrown as { message?: unknown; code?: unknown; constraint?: unknown }
  return {
    message: String(message),
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof constraint === 'string' ? { constraint } : {}),
  }
}
