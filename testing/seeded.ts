/** Repeatable randomness: the same seed gives the same choices, so a failing random case can be repeated. */

/** A seeded random source. */
export interface Seeded {
  /** A number in [0, 1). */
  fraction(): number
  /** An integer in [0, below). */
  below(limit: number): number
  pick<T>(values: readonly [T, ...T[]]): T
  /** `bytes` in random pieces of `mean` bytes on average, some of them empty. */
  cut(bytes: Uint8Array, mean: number): Uint8Array[]
}

/** Creates a random source with this seed. */
export function seeded(seed: number): Seeded {
  let state = seed >>> 0
  // Mulberry32: small, and good enough to choose test cases.
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit: number) => Math.floor(fraction() * limit)
  return {
    fraction,
    below,
    pick: ([first, ...others]) => {
      const at = below(others.length + 1)
      return at === 0 ? first : (others[at - 1] ?? first)
    },
    cut: (bytes, mean) => {
      const pieces: Uint8Array[] = []
      for (let at = 0; at < bytes.length; ) {
        const size = below(mean * 2 + 1)
        pieces.push(bytes.subarray(at, at + size))
        at += size
      }
      return pieces
    },
  }
}
