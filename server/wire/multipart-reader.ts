/**
 * Parses `multipart/form-data` as it arrives, with any chunking. Only a possible beginning of a boundary and the incomplete headers
 * of a part are buffered.
 */
import { GatewayError } from '#shared/errors'
import { type PartHead, readPartHead } from './multipart-head.ts'

/** What a reader returns. */
export type MultipartEvent = { kind: 'part'; head: PartHead } | { kind: 'bytes'; bytes: Uint8Array } | { kind: 'end' }

/** An incremental parser. */
export interface MultipartReader {
  /**
   * The events of these bytes, in order: for every part its head, its bytes, its end. Bytes may be views of the input, of which nothing
   * else is kept. Throws GatewayError 400.
   */
  push(bytes: Uint8Array): MultipartEvent[]
  /** Ends the input. Throws GatewayError 400 unless the final boundary was seen. */
  end(): void
}

/** Maximum bytes of one part's headers. */
const headBytes = 16 * 1024
/** Maximum bytes of padding after a boundary. */
const paddingBytes = 64

const bad = (what: string) => new GatewayError('invalid_request', `The form cannot be read: ${what}.`)

/** A reader for this boundary. `most`: the maximum number of parts; a form with more is rejected. */
export function createMultipartReader(boundary: string, most: number): MultipartReader {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  // The first boundary may be at the very beginning: a line break is prepended.
  let rest: Buffer = Buffer.from('\r\n')
  let stage: 'before' | 'head' | 'body' | 'after' = 'before'
  let parts = 0
  /** Bytes at the start of `rest` that do not belong to the body. */
  let skip = 0

  function push(bytes: Uint8Array): MultipartEvent[] {
    if (stage === 'after') return []
    rest = rest.length === 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.concat([rest, bytes])
    const events: MultipartEvent[] = []
    while (stage === 'head' ? takeHead(events) : takeBody(events));
    rest = Buffer.from(rest)
    return events
  }

  function takeHead(events: MultipartEvent[]): boolean {
    // A part without headers starts with the empty line.
    const end = rest.indexOf('\r\n\r\n')
    if (end > headBytes || (end < 0 && rest.length > headBytes)) throw bad('the headers of a part are too long')
    if (end < 0) return false
    events.push({ kind: 'part', head: readPartHead(rest.subarray(0, end)) })
    // The line break that ends the headers is kept: an empty part may have no other before its boundary.
    rest = rest.subarray(end + 2)
    skip = 2
    stage = 'body'
    return true
  }

  /** Takes bytes up to the next boundary, whose kind depends on what follows it. */
  function takeBody(events: MultipartEvent[]): boolean {
    const { found, after } = nextBoundary()
    give(rest.subarray(0, found), events)
    rest = rest.subarray(found)
    if (after === undefined) return false
    if (stage === 'body') events.push({ kind: 'end' })
    rest = rest.subarray(after.length)
    stage = after.last ? 'after' : 'head'
    if (!after.last && ++parts > most) throw bad(`it has more than ${most} parts`)
    return stage === 'head'
  }

  function give(bytes: Uint8Array, events: MultipartEvent[]): void {
    const own = bytes.subarray(skip)
    skip = Math.max(0, skip - bytes.length)
    if (stage === 'body' && own.length > 0) events.push({ kind: 'bytes', bytes: own })
  }

  /** The position of the next boundary or its possible beginning; `after` is set only for a certain one. */
  function nextBoundary(): { found: number; after?: { length: number; last: boolean } } {
    let from = 0
    for (;;) {
      const found = rest.indexOf(delimiter, from)
      if (found < 0) return { found: beginning(Math.max(from, rest.length - delimiter.length + 1)) }
      const after = boundaryEnd(rest.subarray(found + delimiter.length, found + delimiter.length + paddingBytes))
      if (after === 'more') return { found }
      if (after !== 'none') return { found, after: { length: delimiter.length + after.length, last: after.last } }
      from = found + 1
    }
  }

  /** The position of a possible boundary that further bytes may complete: usually the end, so that nothing has to be joined. */
  function beginning(from: number): number {
    for (let at = rest.indexOf(13, from); at >= 0; at = rest.indexOf(13, at + 1)) {
      if (delimiter.subarray(0, rest.length - at).equals(rest.subarray(at))) return at
    }
    return rest.length
  }

  return {
    push,
    end() {
      if (stage === 'after') return
      throw bad(stage === 'before' ? 'it has no part with the boundary of its content type' : 'it broke off before its final boundary')
    },
  }
}

/** Parses what follows a delimiter: the mark of the last one, or padding and a line break; anything else means that it was no delimiter. */
function boundaryEnd(bytes: Buffer): { length: number; last: boolean } | 'more' | 'none' {
  const text = bytes.toString('latin1')
  if (text.startsWith('--')) return { length: 2, last: true }
  const lineEnd = /^[ \t]*\r\n/.exec(text)?.[0]
  // The line break belongs to the next part's headers, so that a part without headers is recognised.
  if (lineEnd !== undefined) return { length: lineEnd.length - 2, last: false }
  return bytes.length < paddingBytes && /^(-?|[ \t]*\r?)$/.test(text) ? 'more' : 'none'
}
