/**
 * Reads events of a stream that differ from an earlier one in a single string, as most do: the string is located by the constant text
 * around it, and nothing else is parsed.
 */
import type { Frame } from '#shared/sse'
import { bytesOf, bytewise } from './bytewise.ts'
import { type EventPattern, eventPattern } from './event-pattern.ts'
import type { Edit } from './splice.ts'

/** Receives the strings of events. */
export interface StringTaker {
  /**
   * `bytes`: its length in UTF-8; `json`: its JSON spelling, bytewise and without quotes; `number`: the event's sequence number, if any.
   */
  take(value: string, bytes: number, json: string, number: number | undefined): void
}

/** Events that were taken together: where they end, and their output; without `out` they are forwarded unchanged. */
export interface Run {
  end: number
  /** Length of their strings in UTF-8. */
  bytes: number
  out?: Uint8Array
}

/** The learned pattern of one stream. */
export interface SimilarEvents {
  /**
   * Learns from an event: `read` extracts the string, here `value`, from the JSON of any event like it. Their strings go to `taker`, and
   * the events get the same `edits`, which are bytewise.
   */
  learn(frame: Frame, value: string, read: (json: string) => string | undefined, taker: StringTaker, edits?: readonly Edit[]): void
  /** Takes the string of an event, and returns the event with its edits; undefined if it does not match the learned one. */
  takes(frame: Frame): Uint8Array | undefined
  /**
   * The same for consecutive events in `text` from `from` on: at least one, and up to `most` bytes. Undefined: none matches. Each character
   * of `text` is a byte.
   */
  pass(text: string, from: number, most: number): Run | undefined
  /** Forgets the learned pattern. */
  forget(): void
}

/** After this many events that did not match the one before, the stream is read event by event. */
const maxMisses = 16

export const similarEvents = (): SimilarEvents => new OnePattern()

class OnePattern implements SimilarEvents {
  #pattern: EventPattern | undefined
  #taker: StringTaker | undefined
  #misses = 0

  learn(frame: Frame, value: string, read: (json: string) => string | undefined, taker: StringTaker, edits?: readonly Edit[]): void {
    this.#pattern = this.#misses++ < maxMisses ? eventPattern(frame, value, read, edits) : undefined
    this.#taker = taker
  }

  takes(frame: Frame): Uint8Array | undefined {
    const pattern = this.#pattern
    if (pattern === undefined || frame.unfinished) return undefined
    if (pattern.match(bytewise(frame.raw), 0) !== frame.raw.length) return undefined
    this.#misses = 0
    this.#taker?.take(pattern.text, pattern.bytes, pattern.json, pattern.number)
    return pattern.edited === undefined ? frame.raw : bytesOf(pattern.edited)
  }

  pass(text: string, from: number, most: number): Run | undefined {
    const pattern = this.#pattern
    if (pattern === undefined) return undefined
    let at = from
    let out: string | undefined
    let bytes = 0
    for (; at === from || bytes < most; bytes += pattern.bytes) {
      const end = pattern.match(text, at)
      if (end < 0) break
      at = end
      this.#taker?.take(pattern.text, pattern.bytes, pattern.json, pattern.number)
      if (pattern.edited !== undefined) out = (out ?? '') + pattern.edited
    }
    if (at === from) return undefined
    this.#misses = 0
    return out === undefined ? { end: at, bytes } : { end: at, bytes, out: bytesOf(out) }
  }

  forget(): void {
    this.#pattern = undefined
  }
}
