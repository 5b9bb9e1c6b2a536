/**
 * Estimates the work of parsing the JSON in a body from its bytes as they arrive: the cost is the number of values, not of bytes. Nothing
 * is built or kept, a string costs one search for its end, and the work is linear however the bytes are split. The result is meaningful
 * only if the text is valid JSON.
 */
import { type ErrorCode, GatewayError } from '#shared/errors'

/** The limits of a body. */
export interface JsonBounds {
  depth: number
  /** The error code for a body that nests deeper; absent: `invalid_request`. */
  tooDeep?: ErrorCode
  /** In the unit of `JsonScale.weight`. */
  weight: number
}

/** A body that is being weighed. */
export interface JsonScale {
  /** The next bytes. Throws GatewayError: `tooDeep` of the bounds when it nests too deep, `request_too_large` for too many values. */
  push(piece: Uint8Array): void
  /** Strings (names included), lists and objects so far; eight other values count as one. */
  weight(): number
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** How many plain values, each after its comma, are as much work as one string. */
const plainInOne = 8

/** A scale for one body. */
export function createJsonScale(bounds: JsonBounds): JsonScale {
  let depth = 0
  let weight = 0
  let inString = false
  /** How many backslashes the bytes of a string ended with so far. */
  let escapes = 0

  /** The position after the string, or the end of the piece. */
  function endOfString(piece: Uint8Array, start: number): number {
    for (let from = start; ; ) {
      const quote = piece.indexOf(QUOTE, from)
      const end = quote === -1 ? piece.length : quote
      let slashes = end
      while (slashes > from && piece[slashes - 1] === BACKSLASH) slashes--
      escapes = slashes > from ? end - slashes : escapes + end - slashes
      if (quote === -1) return end
      const isOver = escapes % 2 === 0
      escapes = 0
      if (isOver) {
        inString = false
        return quote + 1
      }
      from = quote + 1
    }
  }

  function count(code: number | undefined): void {
    if (code === COMMA) weight += 1 / plainInOne
    else if (code === QUOTE) {
      weight += 1
      inString = true
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      weight += 1
      if (++depth > bounds.depth) throw tooDeep(bounds)
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) depth--
  }

  return {
    push(piece) {
      for (let at = 0; at < piece.length; ) {
        if (inString) at = endOfString(piece, at)
        else count(piece[at++])
        if (weight > bounds.weight) throw tooMany(bounds.weight)
      }
    },
    weight: () => weight,
  }
}

const tooDeep = ({ depth, tooDeep = 'invalid_request' }: JsonBounds) =>
  new GatewayError(tooDeep, `The body is nested deeper than ${depth} levels.`)
const tooMany = (most: number) => new GatewayError('request_too_large', `The body has more than ${most} values.`)
