/**
 * The worker's side of the embedded engine: PGlite itself, off the main thread, so that a heavy query never stalls a stream. One message
 * in, one message out. There is one session: queries run in order; calls, which are those of the accounts, go ahead of the
 * queue, but never into the middle of a transaction of the main thread.
 */
import { PGlite, types } from '@electric-sql/pglite'
import { mapBesideEntry } from '#runtime/package-file'
import type { CallMessage, Reply } from '#runtime/worker-link'
import { type EmbeddedSession, embeddedDb } from './embedded-db.ts'
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
 * Settings of the server. It touches all of its buffers when it opens: 128 MB by default, although the system caches the files
 * anyway. There is one connection, and the tables for a hundred take 4 MB: for eight with more locks each, half of that. New files of the
 * write-ahead log need not be filled with zeros first, since nothing is forced to disk.
 */
const settings = [
  'shared_buffers=8MB',
  'wal_init_zero=off',
  'track_activities=off',
  'max_connections=8',
  'superuser_reserved_connections=0',
  'max_locks_per_transaction=256',
]
const startParams = [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])]

/** Time zones, dictionaries and the like: 6 MB, little of which is ever read. The engine uses only the bytes of the Blob. */
function filesOfEngine(): { fsBundle?: Blob } {
  const bytes = mapBesideEntry('@electric-sql/pglite', 'pglite.data')
  return bytes ? { fsBundle: { arrayBuffer: async () => bytes } as Blob } : {}
}

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
/** Yields, so that pending messages are received. */
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
    // Messages arrive one by one, and the engine never yields the thread by itself: a call behind them would not be seen.
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
      database = await PGlite.create({ dataDir: message.folder, startParams, ...filesOfEngine() })
      statements = createStatements(database)
      run = createCalls({ db: guard(embeddedDb(here)), engine: 'embedded' })
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

/** The session as calls use it. A call has it exclusively until it ends, so its transactions need no turn. */
const here: EmbeddedSession = {
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
