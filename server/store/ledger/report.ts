/** Reports: transactions for one client, whose statement is cancelled (on PostgreSQL) when the client disconnects or it takes too long. */
import { sql } from 'drizzle-orm'
import { GatewayError } from '#shared/errors'
import { returned } from '#store/engine/rows'
import { sqlState } from '#store/engine/sql-state'
import type { Db, Store } from '#store/engine/store'

/** SQLSTATE query_canceled: by us, or by the statement's time limit. */
const queryCanceled = '57014'

/** Throws `client_closed_request` once the client's signal is aborted. */
export function refuseLeft(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new GatewayError('client_closed_request', 'The client closed the connection.')
}

/**
 * Runs the work in a transaction. Rejects with `client_closed_request` once the signal is aborted and the running statement has been
 * cancelled, and with `overloaded` when a statement reaches its time limit.
 */
export async function inReport<T>(
  { db }: Pick<Store, 'db'>,
  signal: AbortSignal | undefined,
  work: (tx: Db) => Promise<T>,
  config?: Parameters<Db['transaction']>[1],
): Promise<T> {
  refuseLeft(signal)
  try {
    return await db.transaction((tx) => cancellable(db, tx, signal, work), config)
  } catch (thrown) {
    refuseLeft(signal)
    if (sqlState(thrown) !== queryCanceled) throw thrown
    throw new GatewayError('overloaded', 'The report takes too long. Ask for a shorter period, or for less at once.', { cause: thrown })
  }
}

async function cancellable<T>(db: Db, tx: Db, signal: AbortSignal | undefined, work: (tx: Db) => Promise<T>): Promise<T> {
  if (!signal) return work(tx)
  const [row] = returned<{ pid: number }>(await tx.execute(sql`select pg_backend_pid() as pid`))
  let cancelling: Promise<unknown> | undefined
  const cancel = () => {
    cancelling = db.execute(sql`select pg_cancel_backend(${row?.pid ?? 0}::integer)`).catch(() => undefined)
  }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    refuseLeft(signal)
    return await work(tx)
  } finally {
    signal.removeEventListener('abort', cancel)
    // Release the connection only when no cancellation can hit it any more.
    await cancelling
  }
}
