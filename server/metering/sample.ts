/**
 * A bounded part of a text that passes in pieces: its beginning, and stretches of what came since, the later ones oftener.
 * Never holds more than six kilobytes, takes no memory before the first piece, and lets most pieces of a long text pass untouched.
 */
export interface Sample {
  take(text: string): void
  /** Stretches of the text, each as it was said; all of it while it is no longer than one. */
  stretches(): string[]
}

/** Bytes of a stretch, and stretches beside the first. */
const stretchBytes = 512
const others = 11
/** The next stretch begins when the text is so many times as long. */
const growth = 1.2

interface Stretch {
  bytes: Buffer
  used: number
}

const fresh = (): Stretch => ({ bytes: Buffer.allocUnsafe(stretchBytes), used: 0 })

export function createSample(): Sample {
  const kept: Stretch[] = []
  let current: Stretch | undefined
  let passed = 0
  let nextAt = 0

  /** The oldest but the first makes room. */
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
      // What has no room any more is left out; a character is never cut.
      const written = current.bytes.write(text, current.used)
      current.used += written
      if (written > 0 && current.used < stretchBytes - 3) return
      current = undefined
      nextAt = passed * growth
    },
    stretches: () => kept.filter(({ used }) => used > 0).map(({ bytes, used }) => bytes.toString('utf8', 0, used)),
  }
}
