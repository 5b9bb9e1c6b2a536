/**
 * A Drizzle handle on the embedded engine. Drizzle's own driver for it loads the engine's code, which only the worker needs: on the main
 * thread that is 50 ms of a start and 6 MB.
 */
import type { PgTransactionConfig } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pg-proxy'
import * as schema from '#db/schema'
import type { Db } from './store.ts'

/** The part of a client that the handle uses. */
export interface EmbeddedHandle {
  query(text: string, params?: readonly unknown[], options?: { rowMode?: 'array' | 'object' }): Promise<{ rows: unknown[] }>
}

/** A client that is not in a transaction. */
export interface EmbeddedSession extends EmbeddedHandle {
  transaction<T>(inside: (tx: EmbeddedHandle) => Promise<T>): Promise<T>
}

/** A handle on this client, with transactions and, in them, savepoints. */
export function embeddedDb(client: EmbeddedSession): Db {
  return handleOn(client, schema, (work, config) =>
    client.transaction(async (tx) => {
      if (config) await tx.query(`set transaction ${termsOf(config)}`)
      return work(within(tx, 1))
    }),
  )
}

type Transaction = Db['_']['session']['transaction']

/** `known`: the tables of relational queries; none is used in a transaction, and each handle would read them all again. */
function handleOn(client: EmbeddedHandle, known: typeof schema | undefined, transaction: Transaction): Db {
  const db = drizzle(async (text, params, method) => ({ rows: await rowsOf(client, text, params, method) }), known && { schema: known })
  db._.session.transaction = transaction as never
  return db as unknown as Db
}

async function rowsOf(client: EmbeddedHandle, text: string, params: readonly unknown[], method: 'all' | 'execute') {
  const { rows } = await client.query(text, params, { rowMode: method === 'all' ? 'array' : 'object' })
  // The driver's type says arrays, which holds for rows that it maps; others it passes through.
  return rows as never
}

function within(client: EmbeddedHandle, depth: number): never {
  const savepoint = `sp${depth}`
  const db = handleOn(client, undefined, async (work) => {
    await client.query(`savepoint ${savepoint}`)
    try {
      const result = await work(within(client, depth + 1))
      await client.query(`release savepoint ${savepoint}`)
      return result
    } catch (thrown) {
      await client.query(`rollback to savepoint ${savepoint}`)
      throw thrown
    }
  })
  return db as never
}

function termsOf({ isolationLevel, accessMode, deferrable }: PgTransactionConfig): string {
  const waits = deferrable === undefined ? undefined : deferrable ? 'deferrable' : 'not deferrable'
  return [isolationLevel && `isolation level ${isolationLevel}`, accessMode, waits].filter(Boolean).join(', ')
}
