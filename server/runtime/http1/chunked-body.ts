/** Removes the chunked framing from a body as its bytes arrive (RFC 9112, section 7.1). Extensions and trailers are read and dropped. */
import { HttpFault, malformed } from './http-fault.ts'

/** Maximum characters of a chunk's extensions, and of all trailers. */
const mostExtension = 4096
const mostTrailers = 16 * 1024
/** Maximum hexadecimal digits of a chunk's size. */
const mostDigits = 13

const CR = 13
const LF = 10

/** What the next byte is. */
const sizeDigit = 0
const extension = 1
const sizeLineFeed = 2
const data = 3
const dataReturn = 4
const dataLineFeed = 5
const trailerStart = 6
const trailer = 7
const trailerLineFeed = 8
const lastLineFeed = 9
const over = 10

/** A chunked body being read. */
export class ChunkedBody {
  #at = sizeDigit
  /** Remaining bytes of this chunk. */
  #left = 0
  #digits = 0
  /** Characters of the extensions or trailers so far. */
  #skipped = 0

  /** Where the body ended in the last bytes. */
  end = 0
  /** An error in them after the returned data; `take` must not be called again. */
  fault: unknown

  /** Whether the last byte was read. */
  get isOver(): boolean {
    return this.#at === over
  }

  /**
   * Takes the bytes from `from` on, and returns the data in them, which shares their memory and may be moved within it; undefined if there
   * is none. Sets `end` and `fault`.
   */
  take(bytes: Uint8Array, from: number): Uint8Array | undefined {
    let at = from
    // The data is at [begin, end): data after a piece of framing is moved to the end of the data before it.
    let begin = from
    let end = from
    try {
      while (at < bytes.length && this.#at !== over) {
        if (this.#at === sizeDigit && this.#digits === 0) at = this.#wholeSizeLine(bytes, at)
        if (this.#at !== data) {
          this.#frame(bytes[at] ?? 0)
          at += 1
          continue
        }
        const length = Math.min(this.#left, bytes.length - at)
        if (begin === end) begin = end = at
        else if (end !== at) bytes.copyWithin(end, at, at + length)
        end += length
        at += length
        this.#left -= length
        if (this.#left > 0) continue
        // The end of the chunk has nearly always arrived, too.
        const isEnded = bytes[at] === CR && bytes[at + 1] === LF
        this.#at = isEnded ? sizeDigit : dataReturn
        if (isEnded) at += 2
      }
    } catch (thrown) {
      this.fault = thrown
    }
    this.end = at
    return end > begin ? bytes.subarray(begin, end) : undefined
  }

  /** Takes the size line of a chunk, if it is complete and has nothing but the size; returns the position after it. */
  #wholeSizeLine(bytes: Uint8Array, from: number): number {
    let size = 0
    let at = from
    for (; at < from + mostDigits; at++) {
      const digit = hexadecimal(bytes[at] ?? 0)
      if (digit < 0) break
      size = size * 16 + digit
    }
    // The last chunk, extensions and errors are handled byte by byte.
    if (size === 0 || bytes[at] !== CR || bytes[at + 1] !== LF) return from
    this.#left = size
    this.#at = data
    return at + 2
  }

  /** Takes one byte that is not data. */
  #frame(byte: number): void {
    switch (this.#at) {
      case sizeDigit:
        this.#size(byte)
        break
      case extension:
        if (byte === CR) this.#at = sizeLineFeed
        else this.#skip(byte, mostExtension)
        break
      case sizeLineFeed:
        this.#lineFeed(byte, this.#left === 0 ? trailerStart : data)
        this.#digits = 0
        this.#skipped = 0
        break
      case dataReturn:
        if (byte !== CR) throw malformed('A chunk of the answer is longer than its size.')
        this.#at = dataLineFeed
        break
      case dataLineFeed:
        this.#lineFeed(byte, sizeDigit)
        break
      case trailerStart:
        this.#at = byte === CR ? lastLineFeed : trailer
        if (byte !== CR) this.#skip(byte, mostTrailers)
        break
      case trailer:
        if (byte === CR) this.#at = trailerLineFeed
        else this.#skip(byte, mostTrailers)
        break
      case trailerLineFeed:
        this.#lineFeed(byte, trailerStart)
        break
      default:
        this.#lineFeed(byte, over)
    }
  }

  #size(byte: number): void {
    const digit = hexadecimal(byte)
    if (digit >= 0) {
      this.#digits += 1
      if (this.#digits > mostDigits) throw new HttpFault('HTTP_TOO_LARGE', 'A chunk of the answer is too large.')
      this.#left = this.#left * 16 + digit
      return
    }
    if (this.#digits === 0) throw malformed('A chunk of the answer has no size.')
    if (byte === CR) this.#at = sizeLineFeed
    // Some servers pad the size with spaces.
    else if (byte === 0x3b || byte === 0x20 || byte === 0x09) this.#at = extension
    else throw malformed('The size of a chunk of the answer is not a number.')
  }

  #lineFeed(byte: number, next: number): void {
    if (byte !== LF) throw malformed('A line of the body’s framing has an invalid end.')
    this.#at = next
  }

  #skip(byte: number, most: number): void {
    if (byte === LF || byte === 0) throw malformed('The framing of the answer’s body contains bytes that it may not contain.')
    this.#skipped += 1
    if (this.#skipped > most) throw new HttpFault('HTTP_TOO_LARGE', 'The framing of the answer’s body is too large.')
  }
}

/** The value of a hexadecimal digit, or -1. */
function hexadecimal(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
