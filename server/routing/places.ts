/**
 * Counts the concurrent attempts of each candidate, and limits those that are made while it rests. While every candidate of a model rests,
 * the best of them is still asked: max(4, a tenth of its recent concurrency) at a time, and further callers wait for a place.
 */

import type { Clock } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Candidate } from './order.ts'

/** Attempts of one key and model. */
interface Load {
  /** Attempts that have not ended. Candidates are new objects for every request. */
  running: Set<Candidate>
  /** Attempts that were admitted while it rested. */
  resting: Set<Candidate>
  /** Highest concurrency in the current slot and the one before. */
  peak: number
  peakBefore: number
  slot: number
  waiting: Set<() => void>
}

/** The attempts and places of all candidates. */
export interface Places {
  /** An attempt begins; `resting`: it takes a place. Must be followed by one `ended`. */
  began(candidate: Candidate, resting: boolean): void
  /** Whether a resting candidate may get one more attempt. */
  hasPlace(candidate: Candidate): boolean
  /** The attempt ended; true = it had a place. Wakes the waiting callers. */
  ended(candidate: Candidate): boolean
  /** A caller that waits for this candidate may now be admitted. */
  wake(candidate: Candidate): void
  /** The first candidate that `admit` admits within a second, else undefined. Aborting ends the wait. */
  wait(candidates: readonly Candidate[], admit: (candidate: Candidate) => boolean, signal: AbortSignalLike): Promise<Candidate | undefined>
}

/** Attempts at once that a resting candidate gets at least. */
const fewest = 4
/** Milliseconds that a caller waits for a place. */
export const placeWaitMs = 1000
/** Concurrency is recent for one to two of these, in milliseconds. */
const slotMs = 30_000

/** Loads are keyed by configuration objects, and garbage-collected with them. */
export function createPlaces(clock: Pick<Clock, 'monotonic' | 'after'>): Places {
  const loads = new WeakMap<object, Map<string, Load>>()

  function loadOf({ channel, key, model }: Candidate): Load {
    const holder = key ?? channel
    const byModel = loads.get(holder) ?? new Map<string, Load>()
    let load = byModel.get(model.name)
    if (!load) {
      loads.set(holder, byModel)
      load = { running: new Set(), resting: new Set(), peak: 0, peakBefore: 0, slot: 0, waiting: new Set() }
      byModel.set(model.name, load)
    }
    return load
  }

  function recent(load: Load): number {
    const slot = Math.floor(clock.monotonic() / slotMs)
    if (slot !== load.slot) {
      load.peakBefore = slot === load.slot + 1 ? load.peak : load.running.size
      load.peak = load.running.size
      load.slot = slot
    }
    return Math.max(load.peak, load.peakBefore)
  }

  function hasPlace(candidate: Candidate): boolean {
    const load = loadOf(candidate)
    return load.resting.size < Math.max(fewest, Math.floor(recent(load) / 10))
  }

  function wake(candidate: Candidate): void {
    for (const one of [...loadOf(candidate).waiting]) one()
  }

  return {
    hasPlace,
    wake,
    began(candidate, resting) {
      const load = loadOf(candidate)
      recent(load)
      load.running.add(candidate)
      if (load.running.size > load.peak) load.peak = load.running.size
      if (resting) load.resting.add(candidate)
    },
    ended(candidate) {
      const load = loadOf(candidate)
      load.running.delete(candidate)
      const had = load.resting.delete(candidate)
      if (load.waiting.size > 0) wake(candidate)
      return had
    },
    wait(candidates, admit, signal) {
      const { promise, resolve } = Promise.withResolvers<Candidate | undefined>()
      const of = candidates.map(loadOf)
      const end = (got?: Candidate) => {
        timer.cancel()
        signal.removeEventListener('abort', leave)
        for (const { waiting } of of) waiting.delete(look)
        resolve(got)
      }
      const leave = () => end()
      const look = () => {
        const got = candidates.find(admit)
        if (got) end(got)
      }
      const timer = clock.after(placeWaitMs, leave)
      for (const { waiting } of of) waiting.add(look)
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave)
      return promise
    },
  }
}
