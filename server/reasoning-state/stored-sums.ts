/** How much each tenant has stored: asked from the database at most once a minute for each, and counted here in between. */
import type { Clock } from '#runtime/clock'

/** Exchanges, and bytes as stored. */
export interface Stored {
  count: number
  bytes: number
}

/** Sums by tenant. */
export interface StoredSums {
  /** As far as this instance knows; what others add shows within a minute. */
  of(tenant: string): Promise<Stored>
  /** An exchange of so many bytes was stored. */
  added(tenant: string, bytes: number): void
  /** Something was deleted: the database is asked again. */
  removed(tenant: string): void
}

const freshMs = 60_000
/** Tenants that are remembered; the longest unasked go first. */
const capacity = 10_000

/** No sums yet; `ask` gets one from the database. */
export function createStoredSums(ask: (tenant: string) => Promise<Stored>, clock: Pick<Clock, 'now'>): StoredSums {
  const sums = new Map<string, { sum: Promise<Stored>; at: number }>()

  return {
    of(tenant) {
      const known = sums.get(tenant)
      if (known && clock.now() < known.at + freshMs) return known.sum
      const sum = ask(tenant)
      sums.delete(tenant)
      sums.set(tenant, { sum, at: clock.now() })
      for (const oldest of sums.keys()) {
        if (sums.size <= capacity) break
        sums.delete(oldest)
      }
      sum.catch(() => sums.delete(tenant))
      return sum
    },
    added(tenant, bytes) {
      const known = sums.get(tenant)
      if (!known) return
      known.sum = known.sum.then((sum) => ({ count: sum.count + 1, bytes: sum.bytes + bytes }))
      known.sum.catch(() => undefined)
    },
    removed: (tenant) => void sums.delete(tenant),
  }
}
