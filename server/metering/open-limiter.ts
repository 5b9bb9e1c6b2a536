/** The limiter that fits the database: in memory where only this process can use it, else shared with all who do. */
import type { Clock, Dice } from '#runtime/clock'
import type { Log } from '#runtime/log'
import { forgetRateHolder, sweepRates, syncRates } from '#store/rates'
import type { Store } from '#store/store'
import { createLimiter, type Limiter } from './limits.ts'
import { createSharedLimiter } from './shared-limits.ts'

export interface OpenLimiterOptions {
  store: Store
  clock: Clock
  dice: Dice
  log: Log
  /** After how many milliseconds without a word the places of an instance go to others. */
  writeOffMs?: number
}

export interface OpenLimiter extends Limiter {
  /** Removes what nobody uses any more. For a schedule. */
  sweep(): Promise<void>
  /** Gives everything back. Never rejects. */
  close(): Promise<void>
}

const usualWriteOffMs = 30_000

export function openLimiter({ store, clock, dice, log, writeOffMs = usualWriteOffMs }: OpenLimiterOptions): OpenLimiter {
  if (store.engine === 'embedded') return { ...createLimiter(clock), sweep: async () => {}, close: async () => {} }
  const table = {
    sync: (call: Parameters<typeof syncRates>[1]) => syncRates(store, call),
    forget: (holder: string) => forgetRateHolder(store, holder),
    recall: (id: string) => void store.changes.publish('rates', id),
    onRecall(asked: (id: string) => void) {
      store.changes.subscribe('rates', async (id) => {
        if (id !== undefined) asked(id)
      })
    },
  }
  return { ...createSharedLimiter({ table, clock, dice, log, writeOffMs }), sweep: () => sweepRates(store) }
}
