/** The PostgreSQL engine: a pool for queries and one more connection that listens for changes of other instances. */
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import * as schema from '#db/schema'
import type { Engine, Others } from './engine.ts'
import { guard } from './guard.ts'

const channel = 'parley'
const connectSeconds = 5
const jsonTypes = [114, 3802]
const textArrayType = 1009

/** The application name of a serving Parley's connections. */
export const servingName = 'parley'

/**
 * Connects. `origin` identifies this instance, so that it ignores its own notifications. Throws an Error with a message for the
 * operator, without the password.
 */
export async function openPostgres(url: string, origin: string, name = servingName): Promise<Engine> {
  const client = pool(url, name)
  const db = guard(drizzle(client, { schema }))
  // Drizzle parses JSON itself; parsed twice, the string "12" would become a number.
  for (const type of jsonTypes) client.options.parsers[type] = (text: string) => text
  // Neither parses text arrays: the driver needs `fetch_types` for arrays, and Drizzle drops every backslash in them.
  client.options.parsers[textArrayType] = readTextArray
  try {
    await client`select 1`
  } catch (thrown) {
    await client.end({ timeout: 1 })
    const { host, port } = client.options
    throw new Error(`cannot reach the database at ${host[0]}:${port[0]}: ${reason(thrown)}`, { cause: thrown })
  }
  return { db, others: othersThrough(client, origin), close: () => client.end({ timeout: 5 }) }
}

/** The payload is `origin:table:id`; the id may contain colons. */
function othersThrough(client: postgres.Sql, origin: string): Others {
  return {
    async announce(table, id) {
      await client.notify(channel, `${origin}:${table}:${id}`)
    },
    async listen(heard, again) {
      let connected = false
      const onNotice = (payload: string) => {
        const [from, table, ...id] = payload.split(':')
        if (from !== origin && table !== undefined) heard(table, id.join(':'))
      }
      await client.listen(channel, onNotice, () => {
        if (connected) again()
        connected = true
      })
    },
  }
}

function pool(url: string, name: string): postgres.Sql {
  try {
    return postgres(url, {
      max: 10,
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

/** A message of our own for common errors; a server's message may name the user or the database, never the password. */
function reason(thrown: unknown): string {
  const { code, message } = thrown as { code?: string; message?: string }
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing listens there'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'host name not found'
    case 'CONNECT_TIMEOUT':
      return `no answer within ${connectSeconds} seconds`
    default:
      return message ?? code ?? 'unknown fault'
  }
}
