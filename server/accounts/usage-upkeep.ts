/** What becomes of usage rows with time: hours that are over are added up, months are made ahead, and old ones go when that is set. */
import type { Clock } from '#runtime/clock'
import type { Store } from '#store/engine/store'
import { addMonths, dropMonths, monthsBefore } from '#store/usage/log-months'
import { addUpHours, thinMarks } from '#store/usage/usage-hours'

export interface UsageUpkeep {
  /** For every minute: sums of the hours that are over. */
  addUp(): Promise<void>
  /** For the start and for every hour: the months of usage rows. */
  turnMonths(): Promise<void>
}

/** Requests are settled a little later than they came: an hour that has just ended waits this long, so that it is added up once. */
const graceMs = 120_000
const hourMs = 3_600_000

/** `keepMonths` answers how many months usage rows are kept at least; null: for ever. */
export function createUsageUpkeep(parts: { store: Store; clock: Clock; keepMonths(): number | null }): UsageUpkeep {
  const { store, clock, keepMonths } = parts

  async function addUpBefore(until: number): Promise<void> {
    while ((await addUpHours(store, new Date(until))) > 0);
  }

  return {
    async addUp() {
      await addUpBefore(Math.floor((clock.now() - graceMs) / hourMs) * hourMs)
      await thinMarks(store)
    },
    async turnMonths() {
      const now = new Date(clock.now())
      await addMonths(store, now)
      const months = keepMonths()
      if (months === null) return
      const before = monthsBefore(now, months)
      await addUpBefore(before.getTime())
      await dropMonths(store, before)
    },
  }
}
