/**
 * Converts between positions in an answer's text as Gemini counts them (bytes of UTF-8) and as everybody else does (UTF-16
 * units). The text itself is kept only when asked for; otherwise positions are known as long as all of it was ASCII.
 */
export interface Ruler {
  add(text: string): void
  /** Length so far. */
  readonly units: number
  readonly bytes: number
  /** Undefined when it cannot be told. */
  toUnits(byte: number): number | undefined
  toBytes(unit: number): number | undefined
}

export function createRuler(keepsText: boolean): Ruler {
  const kept: string[] = []
  let units = 0
  let bytes = 0
  let whole: Buffer | undefined

  const text = () => {
    whole ??= Buffer.from(kept.join(''))
    return whole
  }
  return {
    add(piece) {
      units += piece.length
      bytes += Buffer.byteLength(piece)
      if (keepsText) kept.push(piece)
      whole = undefined
    },
    get units() {
      return units
    },
    get bytes() {
      return bytes
    },
    toUnits(byte) {
      if (byte > bytes) return undefined
      if (units === bytes) return byte
      return keepsText ? text().subarray(0, byte).toString().length : undefined
    },
    toBytes(unit) {
      if (unit > units) return undefined
      if (units === bytes) return unit
      return keepsText ? Buffer.byteLength(text().toString().slice(0, unit)) : undefined
    },
  }
}
