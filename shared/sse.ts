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

/** Splits it one frame at a time, so that the content of one can decide how the next is read. */
export interface SseCutter extends SseSplitter {
  /** Takes a chunk, once all frames of the previous one were taken. */
  feed(chunk: Uint8Array): void
  /** The next frame that is complete; undefined when none is left. Throws as `push` does. */
  next(): Frame | undefined
  /** The text of the current chunk, one byte per character; undefined while an event is open, or if a character takes more bytes. */
  text(): string | undefined
  /** Where the next frame begins in the chunk. */
  readonly at: number
  /** Takes the events up to `end` of that text. They must be whole, and an LF must end their blank line. */
  takeTo(end: number): Run
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
const noText = new ChunkText(nothing)

/** Most bytes of one event. As many as for a whole answer: it may hold several images. */
export const mostFrameBytes = 64 * 1024 * 1024

/** How a stream is cut; `bytewise` lets `takeTo` take events with characters beyond ASCII. */
export interface Cutting {
  maxFrameBytes?: number
  bytewise?: Bytewise
}

/** Cuts a byte stream into frames, in linear time for any chunking. `maxFrameBytes` is `mostFrameBytes` by default. */
export const createSseSplitter = (cutting: Cutting = {}): SseCutter => new ByteCutter(cutting)

class ByteCutter implements SseCutter {
  readonly #maxFrameBytes: number
  readonly #bytewise: Bytewise | undefined
  // Bytes of the open frame from earlier chunks; one buffer that doubles, so that tiny chunks cost neither time nor objects.
  #held = nothing
  #heldBytes = 0
  #isEmptyLine = true
  #lastByte = -1
  #lineEnd: 'lf' | 'cr' | 'crlf' = 'lf'
  // In a stream that uses CRLF, a chunk ended after the CR of a blank line: its LF is still to come.
  #awaitsLf = false
  #isFirst = true
  /** The current chunk, where its open frame begins, how far it was scanned, and the next line ends from there. */
  #chunk: Uint8Array = nothing
  #text = noText
  #start = 0
  #at = 0
  #lf = -1
  #cr = -1

  constructor({ maxFrameBytes = mostFrameBytes, bytewise }: Cutting) {
    this.#maxFrameBytes = maxFrameBytes
    this.#bytewise = bytewise
  }

  get at(): number {
    return this.#at
  }

  feed(next: Uint8Array): void {
    if (next.length === 0) return
    this.#chunk = next
    this.#text = new ChunkText(next, this.#bytewise)
    this.#start = 0
    this.#at = 0
    if (this.#lastByte === CR && next[0] === LF) {
      this.#lineEnd = 'crlf'
      this.#at = 1
    }
    this.#lf = this.#at - 1
    this.#cr = this.#at - 1
    this.#lastByte = next[next.length - 1] ?? -1
  }

  next(): Frame | undefined {
    const chunk = this.#chunk
    if (chunk.length === 0) return undefined
    if (this.#awaitsLf) return this.#cut()
    while (this.#at < chunk.length) {
      if (this.#lf < this.#at) this.#lf = this.#positionOf(LF)
      if (this.#cr < this.#at) this.#cr = this.#positionOf(CR)
      const stop = Math.min(this.#lf, this.#cr)
      if (stop > this.#at) this.#isEmptyLine = false
      if (stop === chunk.length) break
      this.#at = this.#endLine(stop)
      if (this.#awaitsLf) break
      if (this.#isEmptyLine) return this.#cut()
      this.#isEmptyLine = true
    }
    if (this.#start < chunk.length) this.#keep(chunk.subarray(this.#start))
    this.#chunk = nothing
    return undefined
  }

  text(): string | undefined {
    const { length } = this.#chunk
    if (this.#start !== this.#at || this.#heldBytes > 0 || !this.#isEmptyLine || this.#awaitsLf) return undefined
    return length === 0 || length > this.#maxFrameBytes ? undefined : this.#text.bytes
  }

  takeTo(end: number): Run {
    const run = { chunk: this.#chunk, start: this.#start, end }
    this.#isFirst = false
    this.#lineEnd = this.#chunk[end - 2] === CR ? 'crlf' : 'lf'
    this.#start = this.#at = end
    return run
  }

  push(chunk: Uint8Array): Frame[] {
    this.feed(chunk)
    const frames: Frame[] = []
    for (let frame = this.next(); frame; frame = this.next()) frames.push(frame)
    return frames
  }

  end(): Frame[] {
    if (this.#heldBytes === 0) return []
    // A late LF of a frame that was already returned stands alone; it does not count as unfinished.
    const lateLf = this.#heldBytes === 1 && this.#held[0] === LF
    return [this.#emit(nothing, undefined, !this.#awaitsLf && !lateLf)]
  }

  #keep(piece: Uint8Array): void {
    const size = this.#heldBytes + piece.length
    if (size > this.#maxFrameBytes) throw tooLarge()
    if (size > this.#held.length) {
      const grown = new Uint8Array(Math.max(size, this.#held.length * 2, 1024))
      grown.set(this.#held.subarray(0, this.#heldBytes))
      this.#held = grown
    }
    this.#held.set(piece, this.#heldBytes)
    this.#heldBytes = size
  }

  /** The frame that ends with `piece`; `within` reads the chunk that has all of it. */
  #emit(piece: Uint8Array, within?: ChunkText, unfinished = false): Frame {
    if (piece.length > this.#maxFrameBytes) throw tooLarge()
    let raw = piece
    let whole = within
    if (this.#heldBytes > 0) {
      this.#keep(piece)
      raw = this.#held.subarray(0, this.#heldBytes)
      this.#held = nothing
      this.#heldBytes = 0
      whole = undefined
    }
    const frame = new SplitFrame(raw, this.#isFirst, unfinished, whole)
    this.#isFirst = false
    this.#isEmptyLine = true
    this.#awaitsLf = false
    return frame
  }

  /** Ends the line whose terminator begins at `stop`; returns the position after it. */
  #endLine(stop: number): number {
    const chunk = this.#chunk
    if (chunk[stop] === LF) {
      this.#lineEnd = 'lf'
      return stop + 1
    }
    // At the end of a chunk the LF of a CRLF may be the next byte. In a stream that uses CRLF the frame waits for it;
    // elsewhere the frame is returned now, and a late LF begins the next frame, where it has no meaning.
    if (stop + 1 === chunk.length) {
      this.#awaitsLf = this.#isEmptyLine && this.#lineEnd === 'crlf'
      if (!this.#awaitsLf) this.#lineEnd = 'cr'
      return stop + 1
    }
    const pair = chunk[stop + 1] === LF
    this.#lineEnd = pair ? 'crlf' : 'cr'
    return stop + (pair ? 2 : 1)
  }

  /** The frame from `start` to `at`. */
  #cut(): Frame {
    const frame = this.#emit(this.#chunk.subarray(this.#start, this.#at), this.#text)
    this.#start = this.#at
    return frame
  }

  #positionOf(byte: number): number {
    const found = this.#chunk.indexOf(byte, this.#at)
    return found === -1 ? this.#chunk.length : found
  }
}

function tooLarge(): GatewayError {
  return new GatewayError('upstream_error', 'The upstream sent an event that is larger than Parley accepts.')
}
