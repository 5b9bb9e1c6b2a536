/**
 * Time and chance by name. Everything above this room is given a Clock and a Random, so that tests and a simulator can drive
 * the whole program by hand.
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

/** The readings are the runtime's own functions: the hot path asks for them several times a request. */
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

/** Random bytes are fetched many at a time: a call for each id costs more than the id. */
let pool = new Uint8Array()
let used = 0

function randomByte(): number {
  if (used >= pool.length) {
    pool = randomBytes(4096)
    used = 0
  }
  return pool[used++] ?? 0
}

export const systemRandom: Random = {
  fraction: Math.random,
  hex: (bytes) => randomBytes(bytes).toString('hex'),
  base62(length) {
    let text = ''
    while (text.length < length) {
      const byte = randomByte()
      // 248 = 4 * 62: larger bytes would favour the first letters.
      if (byte < 248) text += alphabet[byte % 62]
    }
    return text
  },
}
