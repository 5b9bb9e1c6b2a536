/** The PostgreSQL engine: a pool for queries and one more connection that listens for changes of other instances. */

import type postgres from 'postgres'
import type { Clock } from '#runtime/clock'
import { serverScript } from '#runtime/package-file'
import { WorkerLink } from '#runtime/worker-link'
import { createDatabaseWorker } from './database-worker.ts'
import { connect, connectSeconds, type PostgresMessage, servingName } from './postgres-connections.ts'
import type { Engine, Others } from './store.ts'

const channel = 'parley'

/**
 * Connects. `origin` identifies this instance, so that it ignores its own notifications. Throws an Error with a message for the
 * operator, without the password.
 */
export async function openPostgres(url: string, origin: string, name = servingName): Promise<Engine> {
  const { db, client, close } = connect(url, { name })
  try {
    await client`select 1`
  } catch (thrown) {
    await client.end({ timeout: 1 })
    const { host, port } = client.options
    throw new Error(`cannot reach the database at ${host[0]}:${port[0]}: ${reason(thrown)}`, { cause: thrown })
  }
  return { db, others: othersThrough(client, origin), worker: (clock) => workerOf(url, clock), close }
}

function workerOf(url: string, clock: Clock): ReturnType<Engine['worker']> {
  const script = serverScript('store/engine/postgres-worker')
  const link = new WorkerLink<PostgresMessage>({ script, first: { kind: 'open', url }, what: 'the worker of the database', clock })
  return { ...createDatabaseWorker(clock, link), close: () => link.close({ kind: 'close' }) }
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
