/**
 * Maintenance of usage rows: finished hours are summed up, monthly partitions are created ahead, and old ones are dropped if
 * configured.
 */
import type { Clock } from '#runtime/clock'
import { lockNotAvailable, sqlState } from '#store/engine/sql-state'
import type { Store } from '#store/engine/store'
import { addMonths, dropMonths, monthsBefore } from '#store/usage/log-months'
import { summarizeFilters } from '#store/usage/log-scan'
import { addUpHours, addUpParts, thinMarks } from '#store/usage/usage-hours'
import { rollUpDays } from '#store/usage/usage-rollups'

/** The two scheduled jobs. */
export interface UsageUpkeep {
  /** Every minute: sums up past hours and the new rows of open ones, and updates the filter indexes. */
  addUp(): Promise<void>
  /** At start and every hour: creates and drops monthly partitions. */
  turnMonths(): Promise<void>
}

/** Requests are settled a little after they arrive: an hour that has just ended waits this many milliseconds, so that it is summed once. */
const graceMs = 120_000
const hourMs = 3_600_000
const triesApartMs = 500
const mostTries = 6

/** `keepMonths` returns how many months usage rows are kept at least; null = for ever. */
export function createUsageUpkeep(parts: { store: Store; clock: Clock; keepMonths(): number | null }): UsageUpkeep {
  const { store, clock, keepMonths } = parts

  async function addUpBefore(until: number): Promise<void> {
    while ((await addUpHours(store, new Date(until))) > 0);
  }

  /** Busy tables are retried a few times, and then in an hour. */
  async function patiently<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await work()
      } catch (thrown) {
        if (tries === mostTries || sqlState(thrown) !== lockNotAvailable) throw thrown
        await clock.sleep(triesApartMs)
      }
    }
  }

  return {
    async addUp() {
      await addUpBefore(Math.floor((clock.now() - graceMs) / hourMs) * hourMs)
      await addUpParts(store, new Date(clock.now()))
      while ((await rollUpDays(store)) > 0);
      await thinMarks(store)
      await summarizeFilters(store)
    },
    async turnMonths() {
      const now = new Date(clock.now())
      await patiently(() => addMonths(store, now))
      const months = keepMonths()
      if (months === null) return
      const before = monthsBefore(now, months)
      await addUpBefore(before.getTime())
      await patiently(() => dropMonths(store, before))
    },
  }
}
