/** Detects, piece by piece, whether a JSON object or list is complete. Stores no text. */

export interface JsonBalance {
  push(piece: string): void
  /** The value that began has ended. A plain value (a number, a text) never counts as whole. */
  isWhole(): boolean
}

/** A counter for one value, fed piece by piece. */
export function jsonBalance(): JsonBalance {
  let depth = 0
  let hasBegun = false
  let inText = false
  let isEscaped = false
  return {
    push(piece) {
      for (let at = 0; at < piece.length; at++) {
        const letter = piece[at]
        if (inText) {
          if (isEscaped) isEscaped = false
          else if (letter === '\\') isEscaped = true
          else if (letter === '"') inText = false
        } else if (letter === '"') inText = true
        else if (letter === '{' || letter === '[') {
          depth++
          hasBegun = true
        } else if (letter === '}' || letter === ']') depth--
      }
    },
    isWhole: () => hasBegun && depth <= 0 && !inText,
  }
}
