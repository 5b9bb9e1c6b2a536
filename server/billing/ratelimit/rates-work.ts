/** Runs in the worker beside the database, for shared limits. Called by `rate-table.ts`. */
import type { Work, WorkPlace } from '#store/engine/worker-calls'
import { forgetRateHolder, type RateCall, syncRates } from '#store/ledger/rates'

/** The calls of the limits on this database. */
export const work = ({ db }: WorkPlace): Work => ({
  sync: (call: RateCall) => syncRates({ db }, call),
  forget: (holder: string) => forgetRateHolder({ db }, holder),
})
