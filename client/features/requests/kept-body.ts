/** A kept body as a person reads it. */

/** An event of a stream, and when it was whole: milliseconds from the arrival of the request; undefined where nobody knows. */
export interface KeptEvent {
  text: string
  ms: number | undefined
}

const encoder = new TextEncoder()

/** The events of a stream. `pieces`: where each piece ends (bytes) and when it came, one after the other. */
export function eventsOf(text: string, pieces: readonly number[] = []): KeptEvent[] {
  let end = 0
  let piece = 0
  return text.split(/(?<=\r?\n\r?\n)/).flatMap((event) => {
    end += encoder.encode(event).length
    while (piece < pieces.length && (pieces[piece] ?? 0) < end) piece += 2
    const said = event.trim()
    return said === '' ? [] : [{ text: said, ms: pieces[piece + 1] }]
  })
}

/** Whether a body is a stream of events. */
export const isStream = (text: string): boolean => /^(event|data|id|retry|):/.test(text.trimStart())

/** JSON with indentation, in a body or behind `data:`; anything else as it is. */
export function formatted(text: string): string {
  const [, before = '', value = text] = /^((?:[^\n]*\n)*?data: ?)([[{][\s\S]*)$/.exec(text) ?? []
  try {
    return before + JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return text
  }
}
