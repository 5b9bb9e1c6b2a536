/**
 * Forms of `multipart/form-data`, cut as their bytes arrive, wherever the pieces are cut. Nothing is kept but what may be
 * the beginning of a boundary, and the head of a part until it is whole.
 */
import { GatewayError } from '#shared/errors'
import { type PartHead, readPartHead } from './multipart-head.ts'

export type MultipartEvent = { kind: 'part'; head: PartHead } | { kind: 'bytes'; bytes: Uint8Array } | { kind: 'end' }

export interface MultipartReader {
  /** What these bytes came to, in order: for every part its head, its bytes, its end. Bytes may be views of what was pushed. Throws GatewayError 400. */
  push(bytes: Uint8Array): MultipartEvent[]
  /** Nothing more comes. Throws GatewayError 400 unless the final boundary was seen. */
  end(): void
}

/** Bytes of one part's headers. */
const headBytes = 16 * 1024
/** Bytes after a boundary that are only padding. */
const paddingBytes = 64

const bad = (what: string) => new GatewayError('invalid_request', `The form cannot be read: ${what}.`)

/** `most` is the largest number of parts; a form with more is refused. */
export function createMultipartReader(boundary: string, most: number): MultipartReader {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  // The first boundary may stand at the very beginning: the line end before it is added.
  let rest: Buffer = Buffer.from('\r\n')
  let stage: 'before' | 'head' | 'body' | 'after' = 'before'
  let parts = 0
  /** Bytes at the beginning of a body that are not part of it. */
  let skip = 0

  function push(bytes: Uint8Array): MultipartEvent[] {
    if (stage === 'after') return []
    rest = rest.length === 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.concat([rest, bytes])
    const events: MultipartEvent[] = []
    while (stage === 'head' ? takeHead(events) : takeBody(events));
    return events
  }

  function takeHead(events: MultipartEvent[]): boolean {
    // A part without any header begins with the empty line.
    const end = rest.indexOf('\r\n\r\n')
    if (end > headBytes || (end < 0 && rest.length > headBytes)) throw bad('the headers of a part are too long')
    if (end < 0) return false
    events.push({ kind: 'part', head: readPartHead(rest.subarray(0, end)) })
    // The line end that ends the headers is looked at again: an empty part may have no other before its boundary.
    rest = rest.subarray(end + 2)
    skip = 2
    stage = 'body'
    return true
  }

  /** Up to the next boundary, whose kind is known only with what stands behind it. */
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

  /** Where the next boundary is or may be beginning; `after` only when it is one for certain. */
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

  /** Where a boundary may be beginning that the next bytes complete: usually at the end, so that nothing has to be joined. */
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

/** What follows a delimiter: the mark of the last one, or padding and a line end, or anything else (then it was none). */
function boundaryEnd(bytes: Buffer): { length: number; last: boolean } | 'more' | 'none' {
  const text = bytes.toString('latin1')
  if (text.startsWith('--')) return { length: 2, last: true }
  const lineEnd = /^[ \t]*\r\n/.exec(text)?.[0]
  // The headers of the next part begin with the line end, so that a part without any is seen as such.
  if (lineEnd !== undefined) return { length: lineEnd.length - 2, last: false }
  return bytes.length < paddingBytes && /^(-?|[ \t]*\r?)$/.test(text) ? 'more' : 'none'
}
