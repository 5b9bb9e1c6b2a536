/**
 * Counts the tokens of a text by byte pair encoding. The table of tokens lies packed in numbers, as no map of strings could:
 * it is there in thirty milliseconds and six megabytes, where two hundred thousand strings take half a second and seventy.
 */

/** Tokens of a text. Marks of a dialogue are text like any other. Time grows with the square of its longest word. */
export type Encoding = (text: string) => number

/** Which bytes are a token, and which of two tokens is made first. */
interface Ranks {
  /** The rank of these bytes; infinite when they are no token. */
  of(bytes: Uint8Array, from: number, to: number): number
}

/** Slots are a power of two, and more than twice as many as tokens. */
const slotCount = 2 ** 19
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const sextets = new Uint8Array(128)
for (const [value, letter] of [...alphabet].entries()) sextets[letter.charCodeAt(0)] = value
const [newline, space, pad, zero] = [10, 32, 61, 48]

/** FNV-1a, folded. */
function slotOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193)
  return (hash ^ (hash >>> 15)) & (slotCount - 1)
}

/** `file` has a line for each token, in order of their ranks: its bytes in base64, a space, and its rank. */
function packed(file: Uint8Array): Ranks {
  const bytes = new Uint8Array(file.length)
  const ends: number[] = []
  const ranks: number[] = []
  /** One more than the place of a token; 0 = free. */
  const slots = new Int32Array(slotCount)
  let used = 0

  function keep(from: number, rank: number): void {
    ranks.push(rank)
    ends.push(used)
    let slot = slotOf(bytes, from, used)
    while (slots[slot] !== 0) slot = (slot + 1) % slotCount
    slots[slot] = ends.length
  }

  for (let at = 0; at < file.length; at++) {
    const from = used
    let bits = 0
    let count = 0
    for (; file[at] !== space && at < file.length; at++) {
      const letter = file[at] ?? pad
      if (letter === pad) continue
      bits = (bits << 6) | (sextets[letter] ?? 0)
      count += 6
      if (count < 8) continue
      count -= 8
      bytes[used++] = bits >> count
    }
    let rank = 0
    for (at++; file[at] !== newline && at < file.length; at++) rank = rank * 10 + (file[at] ?? zero) - zero
    keep(from, rank)
  }
  return lookUp(bytes.slice(0, used), Uint32Array.from(ends), Uint32Array.from(ranks), slots)
}

function lookUp(bytes: Uint8Array, ends: Uint32Array, ranks: Uint32Array, slots: Int32Array): Ranks {
  function isAt(place: number, word: Uint8Array, from: number, to: number): boolean {
    const start = ends[place - 1] ?? 0
    if ((ends[place] ?? 0) - start !== to - from) return false
    for (let at = from; at < to; at++) if (word[at] !== bytes[start + at - from]) return false
    return true
  }

  return {
    of(word, from, to) {
      for (let slot = slotOf(word, from, to); ; slot = (slot + 1) % slotCount) {
        const place = (slots[slot] ?? 0) - 1
        if (place < 0) return Number.POSITIVE_INFINITY
        if (isAt(place, word, from, to)) return ranks[place] ?? 0
      }
    },
  }
}

/** Neighbours that make a token are joined, lowest rank first, until there are none. */
function tokensOf(word: Uint8Array, ranks: Ranks): number {
  if (ranks.of(word, 0, word.length) < Number.POSITIVE_INFINITY) return 1
  /** Where pieces begin, and the end of the last. */
  const cuts = Array.from({ length: word.length + 1 }, (_, at) => at)
  const joined = (piece: number): number => {
    const [from, to] = [cuts[piece], cuts[piece + 2]]
    return from === undefined || to === undefined ? Number.POSITIVE_INFINITY : ranks.of(word, from, to)
  }
  /** What each piece and its next would be. */
  const made = cuts.map((_, piece) => joined(piece))
  for (;;) {
    let best = -1
    let lowest = Number.POSITIVE_INFINITY
    for (let piece = 0; piece < made.length; piece++) {
      const rank = made[piece] ?? lowest
      if (rank < lowest) [best, lowest] = [piece, rank]
    }
    if (best < 0) return cuts.length - 1
    cuts.splice(best + 1, 1)
    made.splice(best + 1, 1)
    made[best] = joined(best)
    if (best > 0) made[best - 1] = joined(best - 1)
  }
}

/** `words` finds the words of a text, which no token goes beyond. */
export function createEncoding(file: Uint8Array, words: RegExp): Encoding {
  const ranks = packed(file)
  return (text) => (text.match(words) ?? []).reduce((sum, word) => sum + tokensOf(Buffer.from(word), ranks), 0)
}
