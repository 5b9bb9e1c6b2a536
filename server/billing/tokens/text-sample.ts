/**
 * A bounded sample of a text that arrives in pieces: its beginning and stretches of the rest, recent ones more often. Holds at most six
 * kilobytes, takes no memory before the first piece, and does not touch most pieces of a long text.
 */
export interface Sample {
  /** The next piece of the text. */
  take(text: string): void
  /** The sampled stretches, verbatim; the whole text while it fits into one. */
  stretches(): string[]
}

/** Bytes of a stretch, and how many stretches are kept besides the first. */
const stretchBytes = 512
const others = 11
/** The next stretch begins when the text has become this many times longer. */
const growth = 1.2

interface Stretch {
  bytes: Buffer
  used: number
}

const fresh = (): Stretch => ({ bytes: Buffer.allocUnsafe(stretchBytes), used: 0 })

/** An empty sample. */
export function createSample(): Sample {
  const kept: Stretch[] = []
  let current: Stretch | undefined
  let passed = 0
  let nextAt = 0

  /** The oldest stretch but the first makes room. */
  function begin(): Stretch {
    const reused = kept.length > others ? kept.splice(1, 1)[0] : undefined
    const stretch = reused ?? fresh()
    stretch.used = 0
    kept.push(stretch)
    return stretch
  }

  return {
    take(text) {
      passed += text.length
      if (passed < nextAt || text === '') return
      current ??= begin()
      // What does not fit is left out; a character is never cut.
      const written = current.bytes.write(text, current.used)
      current.used += written
      if (written > 0 && current.used < stretchBytes - 3) return
      current = undefined
      nextAt = passed * growth
    },
    stretches: () => kept.filter(({ used }) => used > 0).map(({ bytes, used }) => bytes.toString('utf8', 0, used)),
  }
}
