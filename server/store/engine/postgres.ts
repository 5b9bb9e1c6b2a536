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

/** How connections of a Parley that serves are called in the database. */
export const servingName = 'parley'

/** Connects. `origin` is how this instance knows its own voice. Throws an Error fit for standard error, without the password. */
export async function openPostgres(url: string, origin: string, name = servingName): Promise<Engine> {
  const client = pool(url, name)
  const db = guard(drizzle(client, { schema }))
  // Drizzle parses JSON itself; parsed twice, the string "12" would come back as a number.
  for (const type of jsonTypes) client.options.parsers[type] = (text: string) => text
  // What neither reads well: the driver knows no arrays without `fetch_types`, and Drizzle takes every backslash out of them.
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

/** The payload is `origin:table:id`; the id may hold colons itself. */
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
      // Steady: the driver's own pauses grow to twenty seconds, and every query made in one waits it out.
      backoff: () => 0.5,
      onnotice: () => {},
      // Asked of every new connection, and nobody catches its failure: a server that ends meanwhile would end the process.
      fetch_types: false,
      connection: { application_name: name, statement_timeout: 5_000, idle_in_transaction_session_timeout: 30_000 },
    })
  } catch (thrown) {
    throw new Error('DATABASE_URL is not the address of a PostgreSQL database', { cause: thrown })
  }
}

/** A list of texts as PostgreSQL writes it: `{plain,"with \"signs\" in it",NULL}`. */
function readTextArray(written: string): (string | null)[] {
  return [...written.matchAll(/"((?:[^"\\]|\\.)*)"|[^,{}]+/gs)].map(([plain, quoted]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1')
    return plain === 'NULL' ? null : plain
  })
}

/** In our own words where we have them; a server's words name the user or the database, never the password. */
function reason(thrown: unknown): string {
  const { code, message } = thrown as { code?: string; message?: string }
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing listens there'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the name is unknown'
    case 'CONNECT_TIMEOUT':
      return `no answer within ${connectSeconds} seconds`
    default:
      return message ?? code ?? 'unknown fault'
  }
}
