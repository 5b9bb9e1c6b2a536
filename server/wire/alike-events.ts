/**
 * The events of a stream that are like one that was read but for one string, as most of them are: the string is found by what stands
 * around it, and nothing else of them is read.
 */
import type { Frame } from '#shared/sse'
import { bytewise } from './bytewise.ts'
import { type EventPattern, eventPattern } from './event-pattern.ts'

/** Told the string of an event, its length in UTF-8, and how it stands in JSON, bytewise and without quotes. */
export type Take = (value: string, bytes: number, json: string) => void

/** What is known of one stream. */
export interface AlikeEvents {
  /** Learns from an event: `read` takes the string, here `value`, from the JSON of any like it. Those go to `take`. */
  learn(frame: Frame, value: string, read: (json: string) => string | undefined, take: Take): void
  /** Takes the string of an event; false where it is not like the one that was learned from. */
  takes(frame: Frame): boolean
  /**
   * The same for the events that follow each other in `text` from `from` on: at least one, and until they brought `most` bytes. Returns where
   * they end, or `from`. Each character of `text` is a byte.
   */
  pass(text: string, from: number, most: number): number
  /** What was learned holds no longer. */
  forget(): void
}

/** A stream whose events are not like the one before so often is read event by event. */
const mostVain = 16

/** Nothing is known yet. */
export function alikeEvents(): AlikeEvents {
  let pattern: EventPattern | undefined
  let take: Take = () => undefined
  let vain = 0

  return {
    learn(frame, value, read, heard) {
      pattern = vain++ < mostVain ? eventPattern(frame, value, read) : undefined
      take = heard
    },
    takes(frame) {
      if (pattern === undefined || frame.unfinished) return false
      if (pattern.match(bytewise(frame.raw), 0) !== frame.raw.length) return false
      vain = 0
      take(pattern.text, pattern.bytes, pattern.json)
      return true
    },
    pass(text, from, most) {
      if (pattern === undefined) return from
      let at = from
      for (let bytes = 0; at === from || bytes < most; bytes += pattern.bytes) {
        const end = pattern.match(text, at)
        if (end < 0) break
        at = end
        take(pattern.text, pattern.bytes, pattern.json)
      }
      if (at > from) vain = 0
      return at
    },
    forget() {
      pattern = undefined
    },
  }
}
