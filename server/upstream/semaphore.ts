/** Limits concurrent tasks; the others wait in a queue, first come, first served. */
import type { AbortSignalLike } from '#runtime/contract/abort'
import { GatewayError } from '#shared/errors'
import { rejectOnAbort } from './abort.ts'

/** A semaphore. */
export interface Semaphore {
  /**
   * Runs `work` as soon as a slot is free, and returns its result. Rejects with the signal's reason when aborted while waiting, and with
   * GatewayError `overloaded` when the queue is full.
   */
  run<T>(signal: AbortSignalLike, work: () => Promise<T>): Promise<T>
}

/** At most `places` tasks run at once and `line` may wait; without `line` any number may. */
export function createSemaphore(places: number, line = Number.POSITIVE_INFINITY): Semaphore {
  let free = places
  const waiting: PromiseWithResolvers<void>[] = []

  function leave(): void {
    const next = waiting.shift()
    if (next) next.resolve()
    else free += 1
  }

  async function standInLine(signal: AbortSignalLike): Promise<void> {
    if (waiting.length >= line) {
      throw new GatewayError('overloaded', 'Too many files are being fetched right now.', { retryAfter: 5 })
    }
    const turn = Promise.withResolvers<void>()
    waiting.push(turn)
    try {
      await rejectOnAbort(turn.promise, signal)
    } catch (reason) {
      const place = waiting.indexOf(turn)
      if (place >= 0) waiting.splice(place, 1)
      // The slot was granted at the same moment: pass it on.
      else leave()
      throw reason
    }
  }

  return {
    async run(signal, work) {
      if (free > 0) free -= 1
      else await standInLine(signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
