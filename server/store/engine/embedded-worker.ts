/**
 * The worker's side of the embedded engine: PGlite itself, off the main thread, so that a heavy query never stalls a stream. One message
 * in, one message out. There is one session: queries run in their order; calls, which are those of the accounts, go before all that
 * waits, but never into the middle of a transaction of the main thread.
 */
import { PGlite, types } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import * as schema from '#db/schema'
import type { CallMessage, Reply } from '#runtime/worker-link'
import { createStatements, type Statements } from './embedded-statements.ts'
import { guard } from './guard.ts'
import { createCalls, faultOf, type RunningCall } from './worker-calls.ts'

/** A query and its parameters. */
interface Query {
  sql: string
  params: readonly unknown[]
  rowMode: 'array' | 'object'
}

/** A message that needs the session itself. */
type SessionMessage =
  | { id: number; kind: 'open'; folder: string }
  /** `turn`: a transaction begins or ends with this query. */
  | ({ id: number; kind: 'query'; turn?: 'begins' | 'ends' } & Query)
  | { id: number; kind: 'close' }
/** A message to this worker. */
export type EmbeddedMessage = SessionMessage | CallMessage

/** What a query answers. */
export interface EmbeddedRows {
  rows: unknown[]
  affectedRows: number
}

/** Types passed on as text, since Drizzle parses them itself. JSON above all: parsed twice, the string "12" would become a number. */
const asText = [types.TIMESTAMP, types.TIMESTAMPTZ, types.DATE, types.INTERVAL, types.JSON, types.JSONB, 1115, 1185, 1182, 1187, 1231]
const parsers = Object.fromEntries(asText.map((type) => [type, (text: string) => text]))

/**
 * Settings of the server. Its buffers are touched, all of them, when it opens: 128 MB by default. The system's own cache of the files is
 * behind them. A file of the log that is written soon need not be filled with zeros before, since nothing is forced to the disk.
 */
const settings = ['shared_buffers=16MB', 'wal_init_zero=off', 'track_activities=off']
const startParams = [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])]

let database: PGlite | undefined
let statements: Statements | undefined
let run: ((message: CallMessage) => RunningCall) | undefined

const calls: CallMessage[] = []
const others: SessionMessage[] = []
let isBusy = false
/** The main thread is in a transaction. */
let isTaken = false

self.onmessage = ({ data }: MessageEvent<EmbeddedMessage>) => {
  if (data.kind === 'call') calls.push(data)
  else others.push(data)
  if (!isBusy) void work()
}

const turns = new MessageChannel()
/** Lets messages in that have come. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    turns.port1.onmessage = () => resolve()
    turns.port2.postMessage(undefined)
  })
}

async function work(): Promise<void> {
  isBusy = true
  for (;;) {
    const call = isTaken || !run ? undefined : calls.shift()
    if (call && run) {
      const { reply, over } = run(call)
      void reply.then((each) => self.postMessage(each))
      await over
      continue
    }
    const message = others.shift()
    if (!message) break
    const reply = await answer(message)
    self.postMessage(reply)
    if (message.kind === 'query' && message.turn) isTaken = message.turn === 'begins' && !reply.fault
    // Messages come in one by one, and the engine never lets go of the thread by itself: a call behind them would not be seen.
    if (!isTaken) await turn()
  }
  isBusy = false
}

async function answer(message: SessionMessage): Promise<Reply> {
  const { id } = message
  try {
    return { id, value: await perform(message) }
  } catch (thrown) {
    return { id, fault: faultOf(thrown) }
  }
}

async function perform(message: SessionMessage): Promise<EmbeddedRows | undefined> {
  switch (message.kind) {
    case 'open':
      database = await PGlite.create({ dataDir: message.folder, startParams })
      statements = createStatements(database)
      run = createCalls({ db: guard(drizzle(here as unknown as PGlite, { schema })), engine: 'embedded' })
      return undefined
    case 'close':
      await database?.close()
      return undefined
    case 'query':
      return runQuery(message)
  }
}

async function runQuery({ sql, params, rowMode }: Query): Promise<EmbeddedRows> {
  if (database === undefined) throw new Error('the database is not open')
  const prepared = await statements?.run(sql, params)
  if (prepared) return { rows: prepared, affectedRows: 0 }
  const { rows, affectedRows = 0 } = await database.query(sql, [...params], { rowMode, parsers })
  return { rows, affectedRows }
}

interface Here {
  query(sql: string, params?: readonly unknown[], options?: Partial<Query>): Promise<EmbeddedRows>
  transaction<T>(inside: (tx: Here) => Promise<T>): Promise<T>
}

/** What the driver of the calls uses of a PGlite. A call is alone until it is over, so that its transactions need no turn. */
const here: Here = {
  query: (sql, params = [], { rowMode = 'object' } = {}) => runQuery({ sql, params, rowMode }),
  async transaction(inside) {
    await here.query('begin')
    try {
      const result = await inside(here)
      await here.query('commit')
      return result
    } catch (thrown) {
      await here.query('rollback').catch(() => {})
      throw thrown
    }
  },
}
