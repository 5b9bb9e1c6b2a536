/**
 * Which channel and key last served something, so that related requests stay together: the searches of one agent, the turns that
 * share a prompt cache. It is a preference, not a guarantee: it moves a planned candidate to the front, does not prevent retries, and
 * follows the work when another candidate takes over. Bounded, in memory of this process only.
 */
import type { Clock } from '#runtime/clock'
import type { Candidate } from './order.ts'

/** The namespace of the names: the same name is unrelated for another tenant or purpose. */
export type AffinityScope = readonly [tenant: string, purpose: string]

/** Remembers and prefers candidates. */
export interface Affinity {
  /** The candidates, with one moved to the front: the one that last served the first of `names` that is known and still planned. */
  prefer(scope: AffinityScope, names: readonly string[], candidates: readonly Candidate[]): readonly Candidate[]
  /** Records that this candidate served these names. */
  served(scope: AffinityScope, names: readonly string[], candidate: Candidate): void
}

/** Limits of the memory. */
export interface AffinityBounds {
  /** Maximum number of names; the least recently used are dropped first. */
  entries: number
  /** Milliseconds an entry is kept after its last use. */
  lifetime: number
}

const usualBounds: AffinityBounds = { entries: 50_000, lifetime: 3_600_000 }

interface Place {
  channel: string
  key: string | undefined
  until: number
}

/** An empty memory. */
export function createAffinity(clock: Pick<Clock, 'monotonic'>, { entries, lifetime }: AffinityBounds = usualBounds): Affinity {
  /** Least recently used first. */
  const places = new Map<string, Place>()
  const nameIn = (scope: AffinityScope, name: string) => JSON.stringify([...scope, name])

  function known(name: string): Place | undefined {
    const place = places.get(name)
    if (place && place.until <= clock.monotonic()) places.delete(name)
    return places.get(name)
  }

  return {
    prefer(scope, names, candidates) {
      for (const name of names) {
        const place = known(nameIn(scope, name))
        const kept = place && candidates.find(({ channel, key }) => channel.id === place.channel && key?.id === place.key)
        if (kept) return [kept, ...candidates.filter((candidate) => candidate !== kept)]
      }
      return candidates
    },
    served(scope, names, { channel, key }) {
      if (names.length === 0) return
      const place = { channel: channel.id, key: key?.id, until: clock.monotonic() + lifetime }
      for (const name of names) {
        places.delete(nameIn(scope, name))
        places.set(nameIn(scope, name), place)
      }
      for (const oldest of places.keys()) {
        if (places.size <= entries) return
        places.delete(oldest)
      }
    },
  }
}
