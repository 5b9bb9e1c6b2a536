/**
 * The books of one request: hold, then settle or release, each idempotent by request id. Knows wallets and amounts, not
 * protocols. A settlement that the database refuses is tried again a few times and then written to the log whole, so that
 * nothing disappears without a word.
 */

import type { Clock } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { asGatewayError, GatewayError } from '#shared/errors'
import { growHold, insertLog, type NewLog, openHold, releaseHold, settleHold } from '#store/ledger'
import type { Store } from '#store/store'

export type { NewLog }

export interface Books {
  /** One conditional statement. Throws `insufficient_quota` or `books_unavailable`. Amount in nano-dollars. */
  hold(requestId: string, walletId: string, amount: bigint): Promise<void>
  /**
   * Adds to an open hold, for work whose end nobody knows. False when the balance does not cover it, or when the hold is
   * closed; the hold is then as it was. Rejects with `books_unavailable`.
   */
  grow(requestId: string, extra: bigint): Promise<boolean>
  /** Takes the cost from the wallet, closes the hold and writes the usage row, in one transaction. Never rejects. */
  settle(row: NewLog): Promise<void>
  /** Closes the hold without a charge and writes the usage row. Never rejects. */
  release(row: NewLog): Promise<void>
  /** The usage row of a request that never had a hold. Never rejects. */
  record(row: NewLog): Promise<void>
}

const pauses = [100, 400, 1600]

export function createBooks(parts: { store: Store; clock: Clock; log: Log; instance: string }): Books {
  const { store, clock, log, instance } = parts

  async function persist(what: string, row: NewLog, work: () => Promise<unknown>): Promise<void> {
    for (const pause of [...pauses, undefined]) {
      try {
        await work()
        return
      } catch (thrown) {
        if (pause === undefined) {
          log.error(
            { requestId: row.requestId, row, cost: row.cost.toString(), err: asGatewayError(thrown).cause ?? thrown },
            `${what} failed`,
          )
          return
        }
        await clock.sleep(pause)
      }
    }
  }

  return {
    async hold(requestId, walletId, amount) {
      const held = await openHold(store, { id: requestId, walletId, amount, instance, at: new Date(clock.now()) })
      if (!held)
        throw new GatewayError('insufficient_quota', 'The balance does not cover the largest cost of this request. Nothing was charged.')
    },
    grow: (requestId, extra) => growHold(store, { id: requestId, extra }),
    settle: (row) =>
      persist('settle', row, () =>
        settleHold(store, {
          id: row.requestId,
          cost: row.cost,
          at: row.at,
          actor: row.key ?? 'session',
          reason: `${row.operation} ${row.model}`,
          log: row,
        }),
      ),
    release: (row) => persist('release', row, () => releaseHold(store, { id: row.requestId, log: row })),
    record: (row) => persist('record', row, () => insertLog(store, row)),
  }
}
