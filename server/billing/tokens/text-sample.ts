/**
 * A bounded sample of a text that arrives in pieces: its beginning and stretches of the rest, recent ones more often. Holds at most six
 * kilobytes, takes no memory before the first piece, and skips most pieces of a long text.
 */
import type { Encoding } from './encoding.ts'

/** The sample of one text. */
export interface Sample {
  /** The next piece of the text. */
  take(text: string): void
  /** The sampled stretches, verbatim; the whole text while it fits into one. */
  stretches(): string[]
  /** Bytes and tokens of all stretches. Only the last two words of a growing stretch are counted again. */
  counted(encoding: Encoding): { bytes: number; tokens: number }
}

/** Bytes of a stretch, and how many stretches are kept besides the first. */
const stretchBytes = 512
const others = 11
/** The next stretch begins when the text has become this many times longer. */
const growth = 1.2

interface Stretch {
  bytes: Buffer
  used: number
  /** Bytes whose tokens cannot change any more, and the number of those tokens. */
  settledBytes: number
  settledTokens: number
  /** Tokens at the last count, and the bytes counted then. */
  countedBytes: number
  tokens: number
}

const fresh = (bytes: Buffer = Buffer.allocUnsafe(stretchBytes)): Stretch => ({
  bytes,
  used: 0,
  settledBytes: 0,
  settledTokens: 0,
  countedBytes: 0,
  tokens: 0,
})

/** Tokens of a stretch, counting only what was added since the last time. */
function tokensOf(stretch: Stretch, encoding: Encoding): number {
  const { bytes, used } = stretch
  if (stretch.countedBytes === used) return stretch.tokens
  const text = bytes.toString('utf8', stretch.settledBytes, used)
  const { tokens, chars } = encoding.settled(text)
  const rest = text.slice(chars)
  stretch.settledTokens += tokens
  stretch.settledBytes = used - Buffer.byteLength(rest)
  stretch.tokens = stretch.settledTokens + encoding(rest)
  stretch.countedBytes = used
  return stretch.tokens
}

/** An empty sample. */
export const createSample = (): Sample => new StretchSample()

class StretchSample implements Sample {
  readonly #kept: Stretch[] = []
  #current: Stretch | undefined
  #passed = 0
  #nextAt = 0

  take(text: string): void {
    this.#passed += text.length
    if (this.#passed < this.#nextAt || text === '') return
    this.#current ??= this.#begin()
    const stretch = this.#current
    // What does not fit is dropped; a character is never cut.
    const written = stretch.bytes.write(text, stretch.used)
    stretch.used += written
    if (written > 0 && stretch.used < stretchBytes - 3) return
    this.#current = undefined
    this.#nextAt = this.#passed * growth
  }

  stretches(): string[] {
    return this.#kept.filter(({ used }) => used > 0).map(({ bytes, used }) => bytes.toString('utf8', 0, used))
  }

  counted(encoding: Encoding): { bytes: number; tokens: number } {
    let [bytes, tokens] = [0, 0]
    for (const stretch of this.#kept) {
      bytes += stretch.used
      tokens += tokensOf(stretch, encoding)
    }
    return { bytes, tokens }
  }

  /** The oldest stretch but the first makes room. */
  #begin(): Stretch {
    const reused = this.#kept.length > others ? this.#kept.splice(1, 1)[0] : undefined
    const stretch = fresh(reused?.bytes)
    this.#kept.push(stretch)
    return stretch
  }
}
