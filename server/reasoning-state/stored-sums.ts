/** How much each tenant has stored: queried from the database at most once a minute per tenant, and counted here in between. */
import type { Clock } from '#runtime/clock'

/** Exchanges, and bytes as stored. */
export interface Stored {
  count: number
  bytes: number
}

/** Sums by tenant. */
export interface StoredSums {
  /** As far as this instance knows; additions on other instances show within a minute. */
  of(tenant: string): Promise<Stored>
  /** An exchange of this many bytes was stored. */
  added(tenant: string, bytes: number): void
  /** Something was deleted: the database is queried again. */
  removed(tenant: string): void
}

const freshMs = 60_000
/** Maximum tenants that are cached; the least recently used are dropped first. */
const capacity = 10_000

/** `ask` queries one sum from the database. */
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
