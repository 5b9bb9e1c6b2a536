/**
 * How attempts of the last hour ended, by channel, key and model, for whoever looks at a channel. In memory and of this instance alone:
 * nothing is decided by it, and a start begins anew.
 */
import type { Clock } from '#runtime/clock'
import type { Candidate } from './order.ts'

/** Milliseconds of a slice, and how many slices make the last hour. */
export const sliceMs = 150_000
const slices = 24

/** What one key met with one model, a slice each; the oldest first, the present one last. */
export interface Outcome {
  keyId: string | null
  model: string
  slices: { attempts: number; failed: number }[]
}

/** Counts how attempts end. */
export interface Outcomes {
  note(candidate: Candidate, failed: boolean): void
  /** Of one channel, what has been asked within the hour. */
  of(channelId: string): Outcome[]
}

interface Ring {
  channelId: string
  keyId: string | null
  model: string
  /** The slice of the last note. */
  last: number
  attempts: Uint32Array
  failed: Uint32Array
}

/** Maximum number of keys and models counted. */
const most = 10_000

/** Nothing has been asked yet. */
export function createOutcomes(clock: Pick<Clock, 'monotonic'>): Outcomes {
  const rings = new Map<string, Ring>()
  const present = () => Math.floor(clock.monotonic() / sliceMs)

  /** Empties the slices that have passed since the last note. */
  function turn(ring: Ring, to: number): void {
    for (let at = Math.max(ring.last + 1, to - slices + 1); at <= to; at++) {
      ring.attempts[at % slices] = 0
      ring.failed[at % slices] = 0
    }
    ring.last = to
  }

  function makeRoom(now: number): boolean {
    if (rings.size >= most) for (const [id, { last }] of rings) if (last <= now - slices) rings.delete(id)
    return rings.size < most
  }

  return {
    note({ channel, key, model }, failed) {
      const id = `${channel.id} ${key?.id ?? ''} ${model.name}`
      const now = present()
      let ring = rings.get(id)
      if (!ring) {
        if (!makeRoom(now)) return
        const counts = { attempts: new Uint32Array(slices), failed: new Uint32Array(slices) }
        ring = { channelId: channel.id, keyId: key?.id ?? null, model: model.name, last: now, ...counts }
        rings.set(id, ring)
      }
      turn(ring, now)
      const at = now % slices
      ring.attempts[at] = (ring.attempts[at] ?? 0) + 1
      if (failed) ring.failed[at] = (ring.failed[at] ?? 0) + 1
    },
    of(channelId) {
      const now = present()
      const known = [...rings.values()].filter((ring) => ring.channelId === channelId && ring.last > now - slices)
      return known.map((ring) => {
        turn(ring, now)
        const places = Array.from({ length: slices }, (_, at) => (now + 1 + at) % slices)
        const { keyId, model, attempts, failed } = ring
        return { keyId, model, slices: places.map((at) => ({ attempts: attempts[at] ?? 0, failed: failed[at] ?? 0 })) }
      })
    },
  }
}
