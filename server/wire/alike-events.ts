/**
 * The events of a stream that are like one that was read but for one string, as most of them are: the string is found by what stands
 * around it, and nothing else of them is read.
 */
import type { Frame } from '#shared/sse'
import { bytesOf, bytewise } from './bytewise.ts'
import { type EventPattern, eventPattern } from './event-pattern.ts'
import type { Edit } from './splice.ts'

/** Takes the strings of events. */
export interface StringTaker {
  /** `bytes`: its length in UTF-8; `json`: how it stands in JSON, bytewise and without quotes; `number`: what counts the event, if anything. */
  take(value: string, bytes: number, json: string, number: number | undefined): void
}

/** Where events end that were taken together, and what they become; without `out` they pass as they are. */
export interface Run {
  end: number
  /** Of their strings, in UTF-8. */
  bytes: number
  out?: Uint8Array
}

/** What is known of one stream. */
export interface AlikeEvents {
  /**
   * Learns from an event: `read` takes the string, here `value`, from the JSON of any like it. Those go to `taker`, and get the same `edits`,
   * which are bytewise.
   */
  learn(frame: Frame, value: string, read: (json: string) => string | undefined, taker: StringTaker, edits?: readonly Edit[]): void
  /** Takes the string of an event, and returns the event with its edits; undefined where it is not like the one that was learned from. */
  takes(frame: Frame): Uint8Array | undefined
  /**
   * The same for the events that follow each other in `text` from `from` on: at least one, and until they brought `most` bytes. Undefined:
   * none. Each character of `text` is a byte.
   */
  pass(text: string, from: number, most: number): Run | undefined
  /** What was learned holds no longer. */
  forget(): void
}

/** A stream whose events are not like the one before so often is read event by event. */
const mostVain = 16

/** Nothing is known yet. */
export const alikeEvents = (): AlikeEvents => new OnePattern()

class OnePattern implements AlikeEvents {
  #pattern: EventPattern | undefined
  #taker: StringTaker | undefined
  #vain = 0

  learn(frame: Frame, value: string, read: (json: string) => string | undefined, taker: StringTaker, edits?: readonly Edit[]): void {
    this.#pattern = this.#vain++ < mostVain ? eventPattern(frame, value, read, edits) : undefined
    this.#taker = taker
  }

  takes(frame: Frame): Uint8Array | undefined {
    const pattern = this.#pattern
    if (pattern === undefined || frame.unfinished) return undefined
    if (pattern.match(bytewise(frame.raw), 0) !== frame.raw.length) return undefined
    this.#vain = 0
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
    this.#vain = 0
    return out === undefined ? { end: at, bytes } : { end: at, bytes, out: bytesOf(out) }
  }

  forget(): void {
    this.#pattern = undefined
  }
}
