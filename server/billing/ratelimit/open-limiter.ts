/** Chooses the limiter: in memory with an embedded database, which only this process uses; otherwise shared by all instances. */
import type { Clock, Random } from '#runtime/clock'
import type { Log } from '#runtime/log'
import type { Store } from '#store/engine/store'
import { sweepRates } from '#store/ledger/rates'
import { createLimiter, type Limiter } from './limits.ts'
import { rateTable } from './rate-table.ts'
import { createSharedLimiter } from './shared-limits.ts'

/** Options of a limiter. */
export interface OpenLimiterOptions {
  store: Store
  clock: Clock
  random: Random
  log: Log
  /** After how many milliseconds of silence an instance loses its places to others. */
  writeOffMs?: number
}

/** A limiter with its upkeep. */
export interface OpenLimiter extends Limiter {
  /** Removes rows that are no longer used. Call it on a schedule. */
  sweep(): Promise<void>
  /** Gives everything back. Never rejects. */
  close(): Promise<void>
}

const usualWriteOffMs = 30_000

/** Never rejects: a shared limiter first calls the database with its first request. */
export function openLimiter({ store, clock, random, log, writeOffMs = usualWriteOffMs }: OpenLimiterOptions): OpenLimiter {
  if (store.engine === 'embedded') return { ...createLimiter(clock), sweep: async () => {}, close: async () => {} }
  return { ...createSharedLimiter({ table: rateTable(store), clock, random, log, writeOffMs }), sweep: () => sweepRates(store) }
}
