/**
 * Time and randomness as interfaces. Everything above this room is given a Clock and a Random, so that tests and a simulator can control
 * the whole program.
 */

import { randomBytes } from 'node:crypto'
import type { AbortSignalLike } from './contract/abort.ts'

export interface Timer {
  cancel(): void
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds that never go back; for durations. */
  monotonic(): number
  /** Runs `work` once after `ms`. An exception in it is the caller's bug and ends the process. */
  after(ms: number, work: () => void): Timer
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignalLike): Promise<void>
}

export interface Random {
  /** In [0, 1). */
  fraction(): number
  /** `bytes` random bytes, hexadecimal. */
  hex(bytes: number): string
  /** `length` characters of base62, unbiased. */
  base62(length: number): string
}

/** `now` and `monotonic` are the runtime's own functions: the hot path calls them several times per request. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: performance.now.bind(performance),
  after(ms, work) {
    const timer = setTimeout(work, ms)
    return { cancel: () => clearTimeout(timer) }
  },
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const stop = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, ms)
      signal?.addEventListener('abort', stop, { once: true })
    })
  },
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Random bytes are fetched in bulk: a call per id costs more than the id. */
const poolSize = 4_096
let pool = Buffer.alloc(0)
let used = 0

/** Where the next `count` bytes of the pool begin, `poolSize` at most; they are used up. */
function take(count: number): number {
  if (used + count > pool.length) {
    pool = randomBytes(poolSize)
    used = 0
  }
  used += count
  return used - count
}

export const systemRandom: Random = {
  fraction: Math.random,
  hex(bytes) {
    if (bytes > poolSize) return randomBytes(bytes).toString('hex')
    const from = take(bytes)
    return pool.toString('hex', from, from + bytes)
  },
  base62(length) {
    let text = ''
    while (text.length < length) {
      const byte = pool[take(1)] ?? 0
      // 248 = 4 * 62: larger bytes would favour the first letters.
      if (byte < 248) text += alphabet[byte % 62]
    }
    return text
  },
}

/** Base-36 digits of the time in a request id: lower case, so that every collation orders them alike. Enough until 5188. */
const timeDigits = 9
/** Random characters after them: 89 bits within a millisecond. */
const chanceLength = 15
/** The millisecond of the last id, and its digits: under load several ids share one. */
let [last, lastDigits] = [Number.NaN, '']

/**
 * The id of a new request: `req_` and 24 letters and digits. An id of a later millisecond sorts after an earlier one, so that an index of
 * such ids grows at its end: purely random ids are spread over all its pages, which a large index reads and writes again for each.
 */
export function newRequestId({ clock, random }: { clock: Pick<Clock, 'now'>; random: Pick<Random, 'base62'> }): string {
  const now = Math.trunc(clock.now())
  if (now !== last) [last, lastDigits] = [now, now.toString(36).padStart(timeDigits, '0')]
  return `req_${lastDigits}${random.base62(chanceLength)}`
}
