/**
 * The events of a stream that are like one that was parsed but for one string, as most of them are: the string is found by what stands
 * around it, and nothing else of them is read.
 */
import type { Frame } from '#shared/sse'
import { type ChangingString, changingString, nextString, stringWithin } from './changing-string.ts'

/** Told the string of an event, and its length in UTF-8. */
type Take = (value: string, bytes: number) => void

/** What is known of one stream. */
export interface AlikeEvents {
  /** Learns from an event that was parsed: `read` takes from its data the string, which is `value`. Those like it go to `take`. */
  learn(frame: Frame, value: string, read: (data: unknown) => unknown, take: Take): void
  /** Takes the string of an event; false where it is not like the one that was learned from. */
  takes(frame: Frame): boolean
  /**
   * The same for the events that follow each other in `text` from `from` on: at least one, and until they brought `most` bytes. Returns where
   * they end, or `from`. Each character of `text` is a byte.
   */
  pass(text: string, from: number, most: number): number
}

/** What stands around the string: in the data, and in all of the event where that is one line. */
interface Known {
  name: string | undefined
  data: ChangingString
  event: ChangingString | undefined
  take: Take
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const beforeData = /^(?:event: [^\r\n]*\n)?data: $/

/** Nothing is known yet. */
export function alikeEvents(): AlikeEvents {
  let known: Known | undefined

  return {
    learn(frame, value, read, take) {
      const { data: text = '', event: name } = frame
      const data = changingString(text, value, read)
      known = data && { name, data, event: wholeEvent(utf8.decode(frame.raw), text, data), take }
    },
    takes(frame) {
      if (known === undefined || frame.unfinished) return false
      const value = stringOf(known, frame)
      if (value === undefined) return false
      known.take(value, Buffer.byteLength(value))
      return true
    },
    pass(text, from, most) {
      if (known?.event === undefined) return from
      const { event, take } = known
      const around = event.before.length + event.after.length
      let at = from
      for (let bytes = 0; at === from || bytes < most; ) {
        const value = nextString(event, text, at)
        if (value === undefined) break
        take(value, value.length)
        bytes += value.length
        at += around + value.length
      }
      return at
    },
  }
}

function wholeEvent(raw: string, text: string, { before, after }: ChangingString): ChangingString | undefined {
  const head = raw.endsWith(`${text}\n\n`) ? raw.slice(0, -text.length - 2) : ''
  if (!beforeData.test(head) || text.includes('\n')) return undefined
  return { before: head + before, after: `${after}\n\n` }
}

function stringOf({ name, data, event }: Known, frame: Frame): string | undefined {
  const { ascii, start = 0 } = frame
  const value = event && ascii !== undefined ? stringWithin(event, ascii, start, start + frame.raw.length) : undefined
  if (value !== undefined || frame.event !== name || frame.data === undefined) return value
  return stringWithin(data, frame.data)
}
