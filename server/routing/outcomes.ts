/**
 * How attempts of the last hour ended, by channel, key and model, for the console. In memory and of this instance only: no decision depends
 * on it, and a restart begins anew.
 */
import type { Clock } from '#runtime/clock'
import type { Candidate } from './order.ts'

/** Milliseconds of a slice, and the number of slices in an hour. */
export const sliceMs = 150_000
export const sliceCount = 24

/** Outcomes of one key with one model by slice, oldest first, the current one last. */
export interface Outcome {
  keyId: string | null
  model: string
  slices: { attempts: number; failed: number }[]
}

/** Counts how attempts end. */
export interface Outcomes {
  note(candidate: Candidate, failed: boolean): void
  /** The outcomes of one channel within the last hour. */
  of(channelId: string): Outcome[]
}

interface Ring {
  /** The slice of the last note. */
  last: number
  attempts: Uint32Array
  failed: Uint32Array
}

/** Maximum number of keys and models counted. */
const most = 10_000

export function createOutcomes(clock: Pick<Clock, 'monotonic'>): Outcomes {
  /** By channel, key and model; an empty string stands for no key. */
  const rings = new Map<string, Map<string, Map<string, Ring>>>()
  let size = 0
  const present = () => Math.floor(clock.monotonic() / sliceMs)

  /** Empties the slices that have passed since the last note. */
  function turn(ring: Ring, to: number): void {
    for (let at = Math.max(ring.last + 1, to - sliceCount + 1); at <= to; at++) {
      ring.attempts[at % sliceCount] = 0
      ring.failed[at % sliceCount] = 0
    }
    ring.last = to
  }

  function makeRoom(now: number): boolean {
    if (size < most) return true
    for (const byKey of rings.values())
      for (const byModel of byKey.values())
        for (const [model, { last }] of byModel) if (last <= now - sliceCount && byModel.delete(model)) size -= 1
    return size < most
  }

  function make(byModel: Map<string, Ring>, model: string, now: number): Ring | undefined {
    if (!makeRoom(now)) return undefined
    const ring = { last: now, attempts: new Uint32Array(sliceCount), failed: new Uint32Array(sliceCount) }
    byModel.set(model, ring)
    size += 1
    return ring
  }

  return {
    note({ channel, key, model }, failed) {
      const now = present()
      const byKey = within(rings, channel.id)
      const byModel = within(byKey, key?.id ?? '')
      const ring = byModel.get(model.name) ?? make(byModel, model.name, now)
      if (!ring) return
      turn(ring, now)
      const at = now % sliceCount
      ring.attempts[at] = (ring.attempts[at] ?? 0) + 1
      if (failed) ring.failed[at] = (ring.failed[at] ?? 0) + 1
    },
    of(channelId) {
      const now = present()
      const places = Array.from({ length: sliceCount }, (_, at) => (now + 1 + at) % sliceCount)
      return [...(rings.get(channelId) ?? [])].flatMap(([keyId, byModel]) =>
        [...byModel].flatMap(([model, ring]) => {
          if (ring.last <= now - sliceCount) return []
          turn(ring, now)
          const counts = places.map((at) => ({ attempts: ring.attempts[at] ?? 0, failed: ring.failed[at] ?? 0 }))
          return { keyId: keyId === '' ? null : keyId, model, slices: counts }
        }),
      )
    },
  }
}

/** The nested map with this name, created if missing. */
function within<Value>(map: Map<string, Map<string, Value>>, name: string): Map<string, Value> {
  const known = map.get(name) ?? new Map<string, Value>()
  if (known.size === 0) map.set(name, known)
  return known
}
