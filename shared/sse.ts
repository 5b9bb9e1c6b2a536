/**
 * Server-sent events from bytes, pushed chunk by chunk. The gateway reads upstreams with it, the browser reads the
 * gateway. Frames keep their exact bytes: the `raw` of all frames in order is the input, byte for byte, with its byte order
 * mark, comments and mixed line endings. Text is decoded only on request.
 * Must not know what an event means. Start at createSseSplitter.
 */
import { GatewayError } from './errors.ts'
import { type Bytewise, ChunkText, type Frame, SplitFrame } from './sse-frame.ts'

export { type Frame, fieldSpans, type Span } from './sse-frame.ts'

/** Splits a byte stream into frames. */
export interface SseSplitter {
  /** The frames that `chunk` completes. Throws GatewayError `upstream_error` when one grows over the limit. */
  push(chunk: Uint8Array): Frame[]
  /** What is left at the end of the stream: at most one frame, marked `unfinished` unless only its last LF was missing. */
  end(): Frame[]
}

/** Splits it one frame at a time, so that what is read of one can decide how the next is read. */
export interface SseCutter extends SseSplitter {
  /** Takes a chunk, when all frames of the one before were taken. */
  feed(chunk: Uint8Array): void
  /** The next frame that is complete; undefined when none is left. Throws as `push` does. */
  next(): Frame | undefined
  /**
   * Takes the events that come next and whose text is known: `endOf` tells where they end in the text of the chunk, each of whose characters
   * is one byte, or `from`. They must be whole, and an LF must end their blank line. Undefined when there are none.
   */
  skip(endOf: (text: string, from: number) => number): Run | undefined
}

/** Events that lie side by side in one chunk. */
export interface Run {
  chunk: Uint8Array
  start: number
  end: number
}

const LF = 10
const CR = 13
const nothing = new Uint8Array(0)

/** How a stream is cut; `bytewise` lets `skip` take events with characters beyond ASCII. */
export interface Cutting {
  maxFrameBytes?: number
  bytewise?: Bytewise
}

/** Cuts a byte stream into frames, in linear time for any chunking. `maxFrameBytes` is 4 MiB by default. */
export function createSseSplitter({ maxFrameBytes = 4 * 1024 * 1024, bytewise }: Cutting = {}): SseCutter {
  // Bytes of the open frame from earlier chunks; one buffer that doubles, so that tiny chunks cost neither time nor objects.
  let held = nothing
  let heldBytes = 0
  let emptyLine = true
  let lastByte = -1
  let lineEnd: 'lf' | 'cr' | 'crlf' = 'lf'
  // In a stream that uses CRLF, a chunk ended after the CR of a blank line: its LF is still to come.
  let awaitsLf = false
  let isFirst = true
  /** What is being cut, where its open frame begins, and how far it was looked at; the next ends of lines from there. */
  let chunk: Uint8Array = nothing
  let text = new ChunkText(nothing)
  let start = 0
  let at = 0
  let lf = -1
  let cr = -1

  function keep(piece: Uint8Array): void {
    const size = heldBytes + piece.length
    if (size > maxFrameBytes) throw tooLarge()
    if (size > held.length) {
      const grown = new Uint8Array(Math.max(size, held.length * 2, 1024))
      grown.set(held.subarray(0, heldBytes))
      held = grown
    }
    held.set(piece, heldBytes)
    heldBytes = size
  }

  /** The frame that ends with `piece`; `within` reads the chunk that has all of it. */
  function emit(piece: Uint8Array, within?: ChunkText, unfinished = false): Frame {
    if (piece.length > maxFrameBytes) throw tooLarge()
    let raw = piece
    let whole = within
    if (heldBytes > 0) {
      keep(piece)
      raw = held.subarray(0, heldBytes)
      held = nothing
      heldBytes = 0
      whole = undefined
    }
    const frame = new SplitFrame(raw, isFirst, unfinished, whole)
    isFirst = false
    emptyLine = true
    awaitsLf = false
    return frame
  }

  /** Ends the line whose terminator begins at `stop`; returns the position after it. */
  function endLine(stop: number): number {
    if (chunk[stop] === LF) {
      lineEnd = 'lf'
      return stop + 1
    }
    // At the end of a chunk the LF of a CRLF may be the next byte. In a stream that writes CRLF a frame waits for it;
    // elsewhere the frame is returned now, and a late LF begins the next frame, where it means nothing.
    if (stop + 1 === chunk.length) {
      awaitsLf = emptyLine && lineEnd === 'crlf'
      if (!awaitsLf) lineEnd = 'cr'
      return stop + 1
    }
    const pair = chunk[stop + 1] === LF
    lineEnd = pair ? 'crlf' : 'cr'
    return stop + (pair ? 2 : 1)
  }

  function feed(next: Uint8Array): void {
    if (next.length === 0) return
    chunk = next
    text = new ChunkText(chunk, bytewise)
    start = 0
    at = 0
    if (lastByte === CR && chunk[0] === LF) {
      lineEnd = 'crlf'
      at = 1
    }
    lf = at - 1
    cr = at - 1
    lastByte = chunk[chunk.length - 1] ?? -1
  }

  /** The frame from `start` to `at`. */
  function cut(): Frame {
    const frame = emit(chunk.subarray(start, at), text)
    start = at
    return frame
  }

  function next(): Frame | undefined {
    if (chunk.length === 0) return undefined
    if (awaitsLf) return cut()
    while (at < chunk.length) {
      if (lf < at) lf = positionOf(LF)
      if (cr < at) cr = positionOf(CR)
      const stop = Math.min(lf, cr)
      if (stop > at) emptyLine = false
      if (stop === chunk.length) break
      at = endLine(stop)
      if (awaitsLf) break
      if (emptyLine) return cut()
      emptyLine = true
    }
    if (start < chunk.length) keep(chunk.subarray(start))
    chunk = nothing
    return undefined
  }

  function positionOf(byte: number): number {
    const found = chunk.indexOf(byte, at)
    return found === -1 ? chunk.length : found
  }

  function skip(endOf: (text: string, from: number) => number): Run | undefined {
    const isBetween = start === at && heldBytes === 0 && emptyLine && !awaitsLf && chunk.length <= maxFrameBytes
    const bytes = isBetween ? text.bytes : undefined
    const end = bytes === undefined ? at : endOf(bytes, at)
    if (end === at) return undefined
    const run = { chunk, start, end }
    isFirst = false
    lineEnd = chunk[end - 2] === CR ? 'crlf' : 'lf'
    start = at = end
    return run
  }

  function push(chunk: Uint8Array): Frame[] {
    feed(chunk)
    const frames: Frame[] = []
    for (let frame = next(); frame; frame = next()) frames.push(frame)
    return frames
  }

  function end(): Frame[] {
    if (heldBytes === 0) return []
    // A late LF of a frame that was already returned stands alone; it does not count as unfinished.
    const lateLf = heldBytes === 1 && held[0] === LF
    return [emit(nothing, undefined, !awaitsLf && !lateLf)]
  }

  return { push, end, feed, next, skip }
}

function tooLarge(): GatewayError {
  return new GatewayError('upstream_error', 'The upstream sent an event that is larger than Parley accepts.')
}
