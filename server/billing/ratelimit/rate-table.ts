/** The shared limits of a store's database: queried in the worker beside it, if any, so that neither thread waits for the other. */

import { callMs } from '#billing/lease/with-timeout'
import { serverScript } from '#runtime/package-file'
import type { Store } from '#store/engine/store'
import { forgetRateHolder, type RateAnswer, syncRates } from '#store/ledger/rates'
import type { RateTable } from './shared-limits.ts'

const module = serverScript('billing/ratelimit/rates-work')

/** The table of this store. */
export function rateTable(store: Store): RateTable {
  const { worker } = store
  return {
    recall: (id) => void store.changes.publish('rates', id),
    onRecall(asked) {
      store.changes.subscribe('rates', async (id) => {
        if (id !== undefined) asked(id)
      })
    },
    ...(worker
      ? {
          isTimed: true,
          // The worker returns what the function of that name returns.
          sync: async (payload) =>
            (await worker.call({ module, name: 'sync', payload, withinMs: callMs })) as ReadonlyMap<string, RateAnswer>,
          forget: async (payload) => void (await worker.call({ module, name: 'forget', payload, withinMs: callMs })),
        }
      : {
          sync: (call) => syncRates(store, call),
          forget: (holder) => forgetRateHolder(store, holder),
        }),
  }
}
