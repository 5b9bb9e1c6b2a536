/** Prices tried on past requests, one by one, in the worker beside the database: `price-trials.ts` calls it. */
import type { PriceFields } from '#shared/console/price'
import { house } from '#shared/ids'
import type { WorkPlace } from '#store/engine/worker-calls'
import { modelRows } from '#store/usage/model-rows'
import { costOfRequest, isSession } from './effect.ts'
import { resolveRates } from './rates.ts'

/** Two prices, and the hours whose requests for the model they are tried on. */
export interface TrialOrder {
  model: string
  /** Null: there is no price now. */
  present: PriceFields | null
  tried: PriceFields
  /** Where they begin, in milliseconds since the epoch. */
  hours: readonly number[]
}

/** The result; amounts in nano-dollars. */
export interface TrialSums {
  /** Requests that rows stand for, including Parley's own. */
  seen: number
  requests: number
  /** Realtime sessions among them. */
  sessions: number
  /** At the current price; 0 without one. */
  present: bigint
  tried: bigint
  /** Actual cost. */
  cost: bigint
}

/** The sums of no requests. */
export const noTrial = (): TrialSums => ({ seen: 0, requests: 0, sessions: 0, present: 0n, tried: 0n, cost: 0n })

const hourMs = 3_600_000

/** The calls of `price-trials.ts` on this database. */
export const work = ({ db }: Pick<WorkPlace, 'db'>) => ({
  async run({ model, present, tried, hours }: TrialOrder): Promise<TrialSums> {
    const [now, then] = [present && resolveRates(present), resolveRates(tried)]
    const sums = noTrial()
    for (const hour of hours) {
      for await (const rows of modelRows(db, { model, from: new Date(hour), to: new Date(hour + hourMs) })) {
        for (const row of rows) {
          const count = row.error?.count ?? 1
          sums.seen += count
          // Parley's own checks are charged to nobody.
          if (row.userId === house.id) continue
          sums.requests += count
          if (isSession(row)) sums.sessions += 1
          if (now) sums.present += costOfRequest(now, row)
          sums.tried += costOfRequest(then, row)
          sums.cost += row.cost
        }
      }
    }
    return sums
  },
})
