/** The PostgreSQL engine: a pool for queries and one more connection that listens for changes of other instances. */
import type { Clock } from '#runtime/clock'
import { serverScript } from '#runtime/package-file'
import { WorkerLink } from '#runtime/worker-link'
import { createDatabaseWorker } from './database-worker.ts'
import { listenTo } from './listening.ts'
import { type Connections, connect, connectSeconds, type PostgresMessage, servingName } from './postgres-connections.ts'
import { cannotConnectNow } from './sql-state.ts'
import type { Engine, Others } from './store.ts'

const channel = 'parley'
/** Sent in place of a table name: an instance checks that it still receives notifications. */
const pulse = 'pulse'
/** How long to retry a server that is too busy to answer, or still starting, before the start fails, in seconds. */
const patience = 20
/** Pause between retries while the server reports that it is starting, in seconds. */
const pause = 0.5

/** How to connect. */
interface Opening {
  /** The application name of the connections. */
  name?: string
  /** Waits for a server that will answer soon; without it a single attempt decides. */
  clock?: Pick<Clock, 'sleep'>
}

/**
 * Connects. `origin` identifies this instance, so that it ignores its own notifications. Throws an Error with a message for the
 * operator, without the password.
 */
export async function openPostgres(url: string, origin: string, { name = servingName, clock }: Opening = {}): Promise<Engine> {
  const { db, client, close } = connect(url, { name })
  try {
    if (clock) await reach(client, clock)
    else await client`select 1`
  } catch (thrown) {
    await client.end({ timeout: 1 })
    const { host, port } = client.options
    throw new Error(`cannot reach the database at ${host[0]}:${port[0]}: ${reason(thrown, clock ? patience : connectSeconds)}`, {
      cause: thrown,
    })
  }
  const notify = (payload: string) => client.notify(channel, payload)
  return { db, others: othersThrough(url, name, origin, notify), worker: (clock) => workerOf(url, clock), close }
}

/** Retries until there is an answer. A permanent fault, such as a wrong password, is thrown at once. */
async function reach(client: Connections['client'], clock: Pick<Clock, 'sleep'>): Promise<void> {
  for (let left = patience; ; ) {
    try {
      await client`select 1`
      return
    } catch (thrown) {
      const { code } = thrown as { code?: string }
      const isStarting = code === cannotConnectNow
      left -= isStarting ? pause : code === 'CONNECT_TIMEOUT' ? connectSeconds : patience
      if (left <= 0) throw thrown
      if (isStarting) await clock.sleep(pause * 1000)
    }
  }
}

function workerOf(url: string, clock: Clock): ReturnType<Engine['worker']> {
  const script = serverScript('store/engine/postgres-worker')
  const link = new WorkerLink<PostgresMessage>({ script, first: { kind: 'open', url }, what: 'the worker of the database', clock })
  return { ...createDatabaseWorker(clock, link), close: () => link.close({ kind: 'close' }) }
}

/** The payload is `origin:table:id`; the id may contain colons. */
function othersThrough(url: string, name: string, origin: string, notify: (payload: string) => Promise<unknown>): Others {
  return {
    async announce(table, id) {
      await notify(`${origin}:${table}:${id}`)
    },
    listen: (clock, received, missed) =>
      listenTo({
        ...{ clock, url, name, channel, missed, notify },
        received(payload) {
          const [from, table, ...id] = payload.split(':')
          if (from !== origin && table !== undefined && table !== pulse) received(table, id.join(':'))
        },
        pulse: `${origin}:${pulse}:`,
      }),
  }
}

/** A message of our own for common errors; a server's message may name the user or the database, never the password. */
function reason(thrown: unknown, waitedSeconds: number): string {
  const { code, message } = thrown as { code?: string; message?: string }
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing listens there'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'host name not found'
    case 'CONNECT_TIMEOUT':
      return `no answer within ${waitedSeconds} seconds`
    default:
      return message ?? code ?? 'unknown fault'
  }
}
