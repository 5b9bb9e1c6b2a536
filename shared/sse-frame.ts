/** One server-sent event: its exact bytes, and its fields on demand. */

/** One server-sent event with its exact bytes, terminator included. */
export interface Frame {
  raw: Uint8Array
  event: string | undefined
  /** Joined `data:` lines; undefined for a comment. */
  data: string | undefined
  /** The stream ended inside this event: its closing blank line is missing. */
  unfinished?: boolean
  /** The chunk that contains all of its bytes, and their offset: neighbours can be passed on as one piece. */
  chunk?: Uint8Array | undefined
  start?: number
}

/** Positions in a text, the end excluded. */
export interface Span {
  start: number
  end: number
}

const LF = 10
const CR = 13
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Decodes bytes as a text with one character per byte. */
export type Bytewise = (bytes: Uint8Array) => string

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII, too.
const ascii = /^[\u0000-\u007f]*$/

/** The text of a chunk, decoded once for all frames that are in it. */
export class ChunkText {
  readonly chunk: Uint8Array
  readonly #bytewise: Bytewise | undefined
  #text: string | undefined

  constructor(chunk: Uint8Array, bytewise?: Bytewise) {
    this.chunk = chunk
    this.#bytewise = bytewise
  }

  /** The whole text, where positions in it are positions in the chunk: each character is one byte. */
  get bytes(): string | undefined {
    this.#text ??= (this.#bytewise ?? decode)(this.chunk)
    return this.#text.length === this.chunk.length ? this.#text : undefined
  }

  /** The text of a part of the chunk, which begins at `start`. */
  of(raw: Uint8Array, start: number): string {
    const text = this.bytes?.slice(start, start + raw.length)
    return text !== undefined && (this.#bytewise === undefined || ascii.test(text)) ? text : utf8.decode(raw)
  }
}

const decode = (bytes: Uint8Array) => utf8.decode(bytes)

/** A frame of a splitter; its text is decoded on demand. */
export class SplitFrame implements Frame {
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
  let event: string | undefined
  let data: string | undefined
  for (let at = from; at < text.length; ) {
    const end = endOfLine(text, at)
    const line = valueIn(text, 'data', at, end)
    if (line) data = (data === undefined ? '' : `${data}\n`) + text.slice(line.start, line.end)
    else {
      const name = valueIn(text, 'event', at, end)
      if (name) event = text.slice(name.start, name.end)
    }
    at = end + 1
  }
  return { event: event || undefined, data }
}

/** Positions of the values of field `name` in the text of one frame, from position `from` on. */
export function fieldSpans(text: string, name: string, from = 0): Span[] {
  const spans: Span[] = []
  for (let at = from; at < text.length; ) {
    const end = endOfLine(text, at)
    const span = valueIn(text, name, at, end)
    if (span) spans.push(span)
    // After a CR this may point at its LF, which then reads as an empty line, not as a field.
    at = end + 1
  }
  return spans
}

/** The value of the field `name` in the line from `at` to `end`; undefined if it is a line of another field. */
function valueIn(text: string, name: string, at: number, end: number): Span | undefined {
  if (!text.startsWith(name, at)) return undefined
  const colon = at + name.length
  if (colon === end) return { start: end, end }
  return text[colon] === ':' ? { start: text[colon + 1] === ' ' ? colon + 2 : colon + 1, end } : undefined
}

/** Characters after which a line counts as long: the runtime's own search is faster there, but not in short ones. */
const shortLine = 256

function endOfLine(text: string, from: number): number {
  const short = Math.min(text.length, from + shortLine)
  let at = from
  while (at < short && text.charCodeAt(at) !== LF && text.charCodeAt(at) !== CR) at++
  return at < short ? at : endOfLongLine(text, at)
}

/** In parts that grow, so that a search for one of the two characters never goes far beyond the other. */
function endOfLongLine(text: string, from: number): number {
  let size = shortLine
  for (let at = from; at < text.length; at += size) {
    size *= 2
    const part = text.slice(at, at + size)
    const [feed, back] = [part.indexOf('\n'), part.indexOf('\r')]
    if (feed !== -1 || back !== -1) return at + (feed === -1 || (back !== -1 && back < feed) ? back : feed)
  }
  return text.length
}
