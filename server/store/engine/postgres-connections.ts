/** Connections to PostgreSQL as both engines' code expects them: for queries, and for the worker. */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import * as schema from '#db/schema'
import type { CallMessage } from '#runtime/worker-link'
import { guard } from './guard.ts'
import type { Db } from './store.ts'

/** How long a connection may take, in seconds. */
export const connectSeconds = 5
const jsonTypes = [114, 3802]
const textArrayType = 1009

/** The application name of a serving Parley's connections. */
export const servingName = 'parley'

/** A message to the worker. */
export type PostgresMessage = { id: number; kind: 'open'; url: string } | { id: number; kind: 'close' } | CallMessage

/** Some connections to one database. */
export interface Connections {
  db: Db
  client: postgres.Sql
  /** Resolves when all of them are closed. */
  close(): Promise<void>
}

/**
 * At most `most` connections, opened on demand. Throws an Error with a message for the operator when the
 * URL is invalid.
 */
export function connect(url: string, { name = servingName, most = 10 }: { name?: string; most?: number } = {}): Connections {
  const client = pool(url, name, most)
  const db = guard(drizzle(client, { schema }))
  // Drizzle parses JSON itself; parsed twice, the string "12" would become a number.
  for (const type of jsonTypes) client.options.parsers[type] = (text: string) => text
  // Neither parses text arrays: the driver needs `fetch_types` for arrays, and Drizzle drops every backslash in them.
  client.options.parsers[textArrayType] = readTextArray
  return { db, client, close: () => client.end({ timeout: 5 }) }
}

function pool(url: string, name: string, most: number): postgres.Sql {
  try {
    return postgres(url, {
      max: most,
      connect_timeout: connectSeconds,
      // A constant delay: the driver's own grows to twenty seconds, during which every query waits.
      backoff: () => 0.5,
      onnotice: () => {},
      // The driver would query types on every new connection without catching a failure: a server that shuts down then would end the
      // process.
      fetch_types: false,
      connection: { application_name: name, statement_timeout: 5_000, idle_in_transaction_session_timeout: 30_000 },
    })
  } catch (thrown) {
    throw new Error('DATABASE_URL is not the address of a PostgreSQL database', { cause: thrown })
  }
}

/** Parses a text array as PostgreSQL writes it: `{plain,"with \"signs\" in it",NULL}`. */
function readTextArray(written: string): (string | null)[] {
  return [...written.matchAll(/"((?:[^"\\]|\\.)*)"|[^,{}]+/gs)].map(([plain, quoted]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return plain === 'NULL' ? null : plain
  })
}
