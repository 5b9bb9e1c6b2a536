/**
 * Server-sent events from bytes, pushed chunk by chunk. The gateway reads upstreams with it, the browser reads the
 * gateway. Frames keep their exact bytes: the `raw` of all frames in order is the input, byte for byte, with its byte order
 * mark, comments and mixed line endings. Text is decoded only on request.
 * Must not know what an event means. Start at createSseSplitter.
 */
import { GatewayError } from './errors.ts'

/** One server-sent event with its exact bytes, terminator included. */
export interface Frame {
  raw: Uint8Array
  event: string | undefined
  /** Joined `data:` lines; undefined for a comment. */
  data: string | undefined
  /** The stream ended inside this event: its closing blank line is missing. */
  unfinished?: boolean
  /** The chunk that has all of its bytes, and where they begin: neighbours can be passed on as one piece. */
  chunk?: Uint8Array | undefined
  start?: number
  /** The chunk as text, where each of its characters is one byte: the event stands in it from `start` on, as long as `raw`. */
  ascii?: string | undefined
}

/** Splits a byte stream into frames. */
export interface SseSplitter {
  /** The frames that `chunk` completes. Throws GatewayError `upstream_error` when one grows over the limit. */
  push(chunk: Uint8Array): Frame[]
  /** What is left at the end of the stream: at most one frame, marked `unfinished` unless only its last LF was missing. */
  end(): Frame[]
}

/** Positions in a text, the end excluded. */
export interface Span {
  start: number
  end: number
}

const LF = 10
const CR = 13
const nothing = new Uint8Array(0)
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Cuts a byte stream into frames, in linear time for any chunking. `maxFrameBytes` is 4 MiB by default. */
export function createSseSplitter({ maxFrameBytes = 4 * 1024 * 1024 }: { maxFrameBytes?: number } = {}): SseSplitter {
  // Bytes of the open frame from earlier chunks; one buffer that doubles, so that tiny chunks cost neither time nor objects.
  let held = nothing
  let heldBytes = 0
  let emptyLine = true
  let lastByte = -1
  let lineEnd: 'lf' | 'cr' | 'crlf' = 'lf'
  // In a stream that uses CRLF, a chunk ended after the CR of a blank line: its LF is still to come.
  let awaitsLf = false
  let isFirst = true

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

  /** The frame that ends with `piece`; `text` reads the chunk that has all of it. */
  function emit(piece: Uint8Array, text?: ChunkText, unfinished = false): Frame {
    if (piece.length > maxFrameBytes) throw tooLarge()
    let raw = piece
    let within = text
    if (heldBytes > 0) {
      keep(piece)
      raw = held.subarray(0, heldBytes)
      held = nothing
      heldBytes = 0
      within = undefined
    }
    const frame = new SplitFrame(raw, isFirst, unfinished, within)
    isFirst = false
    emptyLine = true
    awaitsLf = false
    return frame
  }

  /** Ends the line whose terminator begins at `at`; returns the position after it. */
  function endLine(chunk: Uint8Array, at: number): number {
    if (chunk[at] === LF) {
      lineEnd = 'lf'
      return at + 1
    }
    // At the end of a chunk the LF of a CRLF may be the next byte. In a stream that writes CRLF a frame waits for it;
    // elsewhere the frame is returned now, and a late LF begins the next frame, where it means nothing.
    if (at + 1 === chunk.length) {
      awaitsLf = emptyLine && lineEnd === 'crlf'
      if (!awaitsLf) lineEnd = 'cr'
      return at + 1
    }
    const pair = chunk[at + 1] === LF
    lineEnd = pair ? 'crlf' : 'cr'
    return at + (pair ? 2 : 1)
  }

  function push(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = []
    if (chunk.length === 0) return frames
    const text = new ChunkText(chunk)
    let start = 0
    let at = 0
    if (lastByte === CR && chunk[0] === LF) {
      lineEnd = 'crlf'
      at = 1
    }
    if (awaitsLf) {
      frames.push(emit(chunk.subarray(0, at), text))
      start = at
    }
    let lf = at - 1
    let cr = at - 1
    while (at < chunk.length) {
      if (lf < at) lf = next(chunk, LF, at)
      if (cr < at) cr = next(chunk, CR, at)
      const stop = Math.min(lf, cr)
      if (stop > at) emptyLine = false
      if (stop === chunk.length) break
      at = endLine(chunk, stop)
      if (awaitsLf) break
      if (emptyLine) {
        frames.push(emit(chunk.subarray(start, at), text))
        start = at
      }
      emptyLine = true
    }
    if (start < chunk.length) keep(chunk.subarray(start))
    lastByte = chunk[chunk.length - 1] ?? -1
    return frames
  }

  function end(): Frame[] {
    if (heldBytes === 0) return []
    // A late LF of a frame that was already returned stands alone; it does not count as unfinished.
    const lateLf = heldBytes === 1 && held[0] === LF
    return [emit(nothing, undefined, !awaitsLf && !lateLf)]
  }

  return { push, end }
}

function next(chunk: Uint8Array, byte: number, from: number): number {
  const found = chunk.indexOf(byte, from)
  return found === -1 ? chunk.length : found
}

function tooLarge(): GatewayError {
  return new GatewayError('upstream_error', 'The upstream sent an event that is larger than Parley accepts.')
}

/** The text of a chunk, decoded once for all frames that are in it. */
class ChunkText {
  readonly chunk: Uint8Array
  #text: string | undefined

  constructor(chunk: Uint8Array) {
    this.chunk = chunk
  }

  /** All of it, where positions in the text are positions in the chunk: each character is one byte. */
  get ascii(): string | undefined {
    this.#text ??= utf8.decode(this.chunk)
    return this.#text.length === this.chunk.length ? this.#text : undefined
  }

  /** The text of a part of the chunk, which begins at `start`. */
  of(raw: Uint8Array, start: number): string {
    return this.ascii?.slice(start, start + raw.length) ?? utf8.decode(raw)
  }
}

class SplitFrame implements Frame {
  readonly raw: Uint8Array
  readonly unfinished: boolean
  readonly chunk: Uint8Array | undefined
  readonly start: number
  readonly #isFirst: boolean
  readonly #text: ChunkText | undefined
  #fields: { event: string | undefined; data: string | undefined } | undefined

  constructor(raw: Uint8Array, isFirst: boolean, unfinished: boolean, text: ChunkText | undefined) {
    this.raw = raw
    this.#isFirst = isFirst
    this.unfinished = unfinished
    this.chunk = text?.chunk
    this.start = text ? raw.byteOffset - text.chunk.byteOffset : 0
    this.#text = text
  }

  get ascii(): string | undefined {
    return this.#text?.ascii
  }

  get data(): string | undefined {
    return this.#read().data
  }

  get event(): string | undefined {
    return this.#read().event
  }

  #read() {
    this.#fields ??= readFields(this.#text?.of(this.raw, this.start) ?? utf8.decode(this.raw), this.#isFirst)
    return this.#fields
  }
}

function readFields(text: string, isFirst: boolean) {
  // The ordinary frame: one data line and its blank line.
  if (text.startsWith('data: ') && text.indexOf('\n') === text.length - 2 && text.endsWith('\n') && !text.includes('\r')) {
    return { event: undefined, data: text.slice(6, -2) }
  }
  const from = isFirst && text.charCodeAt(0) === 0xfeff ? 1 : 0
  const values = (name: string) => fieldSpans(text, name, from).map((span) => text.slice(span.start, span.end))
  const data = values('data')
  return { event: values('event').at(-1) || undefined, data: data.length === 0 ? undefined : data.join('\n') }
}

/** Positions of the values of field `name` in the text of one frame, from position `from` on. */
export function fieldSpans(text: string, name: string, from = 0): Span[] {
  const spans: Span[] = []
  for (let at = from; at < text.length; ) {
    const end = endOfLine(text, at)
    const colon = at + name.length
    if (text.startsWith(name, at)) {
      if (colon === end) spans.push({ start: end, end })
      else if (text[colon] === ':') spans.push({ start: text[colon + 1] === ' ' ? colon + 2 : colon + 1, end })
    }
    // After a CR this may point at its LF, which then reads as an empty line, not as a field.
    at = end + 1
  }
  return spans
}

function endOfLine(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) !== LF && text.charCodeAt(at) !== CR) at++
  return at
}
