/** Formats kept bodies for reading. */

/** An event of a stream, and when it was complete: milliseconds from the arrival of the request; undefined if unknown. */
export interface KeptEvent {
  text: string
  ms: number | undefined
  /** In a session: the sender. */
  from?: 'client' | 'parley'
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The events of a stream. `pieces`: alternately where each piece ends (bytes) and when it arrived. */
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

/** The frames of one direction of a session; one that was not kept has no text. `pieces` as in `eventsOf`. */
export function framesOf(text: string, pieces: readonly number[]): KeptEvent[] {
  const bytes = encoder.encode(text)
  let from = 0
  return Array.from({ length: pieces.length / 2 }, (_, n) => {
    const to = pieces[2 * n] ?? from
    const frame = decoder.decode(bytes.subarray(from, Math.max(from, to - 1)))
    from = to
    return { text: frame, ms: pieces[2 * n + 1] }
  })
}

/** The frames that a client sent and received, by time. */
export function bothWays(asked: readonly KeptEvent[], answered: readonly KeptEvent[]): KeptEvent[] {
  const all = [
    ...asked.map((frame) => ({ ...frame, from: 'client' as const })),
    ...answered.map((frame) => ({ ...frame, from: 'parley' as const })),
  ]
  return all.sort((one, other) => (one.ms ?? 0) - (other.ms ?? 0))
}

/** Whether a body is a stream of events. */
export const isStream = (text: string): boolean => /^(event|data|id|retry|):/.test(text.trimStart())

/** Indents JSON, in a body or after `data:`; anything else is unchanged. */
export function formatted(text: string): string {
  const [, before = '', value = text] = /^((?:[^\n]*\n)*?data: ?)([[{][\s\S]*)$/.exec(text) ?? []
  try {
    return before + JSON.stringify(JSON.parse(value), null, 2)
  } catch {
    return text
  }
}
