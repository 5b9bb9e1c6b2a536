/**
 * Reads and writes a stream of JSON values in one array (`[{...},\n{...}]`, as Gemini streams unless server-sent events are
 * requested). Inside Parley streams have one framing only: the splitter converts each element to a server-sent event, the joiner
 * converts such events to an array that is valid JSON wherever the stream ends.
 */
import { GatewayError } from '#shared/errors'
import { createSseSplitter, type Frame, mostFrameBytes, type SseSplitter } from '#shared/sse'

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const nothing = new Uint8Array(0)

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * Splits a chunked array into frames, in linear time for any chunking. Commas, brackets and white space around elements are not part
 * of frames; a value outside an array counts as an element too. `unfinished` marks an element cut by the end of the stream. Throws
 * GatewayError `upstream_error` when one exceeds `maxFrameBytes`.
 */
export function createJsonArraySplitter({ maxFrameBytes = mostFrameBytes }: { maxFrameBytes?: number } = {}): SseSplitter {
  // Bytes of the current element from earlier chunks, in one buffer that doubles, so that tiny chunks cost neither time nor objects.
  let held = nothing
  let heldBytes = 0
  let depth = 0
  let inString = false
  let escaped = false
  let isOpen = false
  let inElement = false

  function keep(piece: Uint8Array): void {
    const size = heldBytes + piece.length
    if (size > maxFrameBytes) throw new GatewayError('upstream_error', 'The upstream sent an event that is larger than Parley accepts.')
    if (size > held.length) {
      const grown = new Uint8Array(Math.max(size, held.length * 2, 1024))
      grown.set(held.subarray(0, heldBytes))
      held = grown
    }
    held.set(piece, heldBytes)
    heldBytes = size
  }

  function take(unfinished: boolean): Frame[] {
    const text = decoder.decode(held.subarray(0, heldBytes)).trim()
    heldBytes = 0
    inElement = false
    return text === '' ? [] : [elementFrame(text, unfinished)]
  }

  /** Whether the byte ends the element: `last` for a closing bracket, which belongs to it, `after` for what follows a scalar. */
  function step(code: number): 'inside' | 'last' | 'after' {
    if (inString) {
      if (escaped) escaped = false
      else if (code === BACKSLASH) escaped = true
      else if (code === QUOTE) inString = false
      return 'inside'
    }
    if (code === QUOTE) inString = true
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (depth === 0) return 'after'
      if (--depth === 0) return 'last'
    } else if (code === COMMA && depth === 0) return 'after'
    return 'inside'
  }

  function isBetween(code: number): boolean {
    if (code === OPEN_LIST && !isOpen) {
      isOpen = true
      return true
    }
    return code <= 0x20 || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT
  }

  function push(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = []
    let start = 0
    for (let at = 0; at < chunk.length; at++) {
      const code = chunk[at] ?? 0
      if (!inElement) {
        if (isBetween(code)) continue
        inElement = true
        start = at
      }
      const place = step(code)
      if (place === 'inside') continue
      keep(chunk.subarray(start, place === 'last' ? at + 1 : at))
      frames.push(...take(false))
      start = at + 1
    }
    if (inElement) keep(chunk.subarray(start))
    return frames
  }

  return { push, end: () => take(true) }
}

/** The element as an event. In JSON, line breaks occur only between tokens, where a space is equivalent. */
function elementFrame(text: string, unfinished: boolean): Frame {
  const data = text.replace(/[\r\n]+/g, ' ')
  const frame: Frame = { raw: encoder.encode(`data: ${data}\n\n`), event: undefined, data }
  return unfinished ? { ...frame, unfinished } : frame
}

/** Converts events to an array. */
export interface JsonArrayJoiner {
  /** The events as pieces of an array. A comment becomes white space, as a keepalive for a waiting client. */
  push(events: Uint8Array): Uint8Array
  /** The end of the array; `[]` when there was no event. */
  end(): Uint8Array
}

/** A joiner; `push` takes server-sent events cut anywhere, each with one JSON value as data. */
export function createJsonArrayJoiner(options: { maxFrameBytes?: number } = {}): JsonArrayJoiner {
  const splitter = createSseSplitter(options)
  let isOpen = false

  function element({ data }: Frame): string {
    if (data === undefined || data === '') return '\n'
    const before = isOpen ? ',\n' : '['
    isOpen = true
    return before + data
  }

  const joined = (frames: Frame[]) => (frames.length === 0 ? nothing : encoder.encode(frames.map(element).join('')))
  return {
    push: (events) => joined(splitter.push(events)),
    end: () => encoder.encode(isOpen ? ']' : '[]'),
  }
}
