/**
 * The elements of a list in a JSON object, one by one as bytes, while the object arrives in pieces: for lists that are too much work, or
 * too much memory, as a whole. Strings are skipped, each with one search for its end; only the object's own names are parsed.
 */
import { GatewayError } from '#shared/errors'

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Maximum bytes of a name in the object itself: a longer one is not that of the list. */
const mostName = 1024

/** Collects bytes that may arrive in several pieces. */
function collected() {
  let parts: Uint8Array[] = []
  let size = 0
  return {
    size: () => size,
    add(bytes: Uint8Array) {
      if (bytes.length > 0) parts.push(bytes.slice())
      size += bytes.length
    },
    take(): Uint8Array<ArrayBuffer> {
      const whole = new Uint8Array(Buffer.concat(parts))
      parts = []
      size = 0
      return whole
    },
  }
}

/** The place of a list, and what to do with the rest of the object. */
export interface ListPlace {
  /** The names of the objects that contain it, each in all spellings, and last its own. */
  path: readonly (readonly string[])[]
  /** Takes the object's bytes without those of the list's elements. */
  around?(bytes: Uint8Array): void
}

/**
 * Each element of the list at `place` of the object in `pieces` (UTF-8), with the white space around it. Throws GatewayError `invalid_json`
 * for anything but one object with at most one such list, as far as it checks, and `request_too_large` for an element of more than `most`
 * bytes. Elements are not parsed.
 */
export async function* elementsOf(
  pieces: AsyncIterable<Uint8Array>,
  { path, around }: ListPlace,
  most: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const field = path.map(([name]) => name).join('.')
  /** How many of the objects in the path are open. */
  let within = 0
  const isNext = (bytes: Uint8Array) => path[within]?.includes(String(nameIn(bytes))) === true
  const element = collected()
  const name = collected()
  let depth = 0
  let inString = false
  /** How many backslashes the bytes of a string ended with so far. */
  let escapes = 0
  let isOver = false
  let found = 0
  let inList = false

  /** The position after the string, or the end of the piece. */
  function endOfString(piece: Uint8Array, start: number): number {
    for (let from = start; ; ) {
      const quote = piece.indexOf(QUOTE, from)
      const end = quote === -1 ? piece.length : quote
      let slashes = end
      while (slashes > from && piece[slashes - 1] === BACKSLASH) slashes--
      escapes = slashes > from ? end - slashes : escapes + end - slashes
      if (quote === -1) return end
      inString = escapes % 2 !== 0
      escapes = 0
      if (!inString) return quote + 1
      from = quote + 1
    }
  }

  function keep(bytes: Uint8Array): void {
    element.add(bytes)
    if (element.size() <= most) return
    throw new GatewayError('request_too_large', `An element of \`${field}\` may have at most ${most} bytes.`, { param: field })
  }

  for await (const piece of pieces) {
    /** Start of the part of the piece that is not yet added to an element, or passed to `around`. */
    let from = 0
    let outside = 0
    for (let at = 0; at < piece.length; ) {
      const byte = piece[at] ?? 0
      if (inString) {
        const end = endOfString(piece, at)
        if (depth === within + 1 && name.size() < mostName) name.add(piece.subarray(at, Math.min(end, at + mostName)))
        at = end
        continue
      }
      at += 1
      if (isOver && byte > 0x20) throw broken()
      if (byte === QUOTE) {
        inString = true
        if (depth === within + 1) {
          name.take()
          name.add(piece.subarray(at - 1, at))
        }
        if (depth === 0) throw broken()
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth += 1
        const isLast = within === path.length - 1
        if (depth === within + 2 && isLast === (byte === OPEN_LIST) && isNext(name.take())) {
          if (!isLast) within += 1
          else {
            if (++found > 1) throw broken()
            inList = true
            from = at
            around?.(piece.subarray(outside, at))
          }
        }
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth -= 1
        if (depth < 0) throw broken()
        if (within > depth - 1 && depth > 0) within = depth - 1
        if (inList && depth === path.length) {
          inList = false
          outside = at - 1
          keep(piece.subarray(from, at - 1))
          const last = element.take()
          if (!isBlank(last)) yield last
        }
        isOver = depth === 0
      } else if (inList && depth === path.length + 1 && byte === COMMA) {
        keep(piece.subarray(from, at - 1))
        from = at
        yield element.take()
      } else if (depth === 0 && byte > 0x20) throw broken()
    }
    if (inList) keep(piece.subarray(from))
    else around?.(piece.subarray(outside))
  }
  if (!isOver) throw broken()
}

const isBlank = (bytes: Uint8Array) => bytes.every((byte) => byte <= 0x20)

function nameIn(bytes: Uint8Array): unknown {
  try {
    return bytes.length >= mostName ? undefined : JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw broken()
  }
}

const broken = () => new GatewayError('invalid_json', 'The request body is not valid JSON.')
