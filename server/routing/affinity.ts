/**
 * Which channel and key served something last, so that what belongs together stays together: the searches of one agent, the
 * turns that share a prompt cache. A preference, never a promise: it moves a planned candidate to the front, switches no
 * retry off, and follows the work when another candidate takes over. Bounded, of this process alone.
 */
import type { Clock } from '#runtime/clock'
import type { Candidate } from './order.ts'

/** Whose names these are, and what they are for: the same name means something else to another tenant. */
export type AffinityScope = readonly [tenant: string, purpose: string]

export interface Affinity {
  /** The candidates with that first which last served the first of `names` that is known and still planned. */
  prefer(scope: AffinityScope, names: readonly string[], candidates: readonly Candidate[]): readonly Candidate[]
  /** This candidate served what goes under these names. */
  served(scope: AffinityScope, names: readonly string[], candidate: Candidate): void
}

export interface AffinityBounds {
  /** Names at most; those that were used longest ago go first. */
  entries: number
  /** Milliseconds after the last use. */
  lifetime: number
}

const usualBounds: AffinityBounds = { entries: 50_000, lifetime: 3_600_000 }

interface Place {
  channel: string
  key: string | undefined
  until: number
}

export function createAffinity(clock: Pick<Clock, 'monotonic'>, { entries, lifetime }: AffinityBounds = usualBounds): Affinity {
  /** The least recently used first. */
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
