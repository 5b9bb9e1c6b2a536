/**
 * Marks parts that came without any state. A client sends its history to any later channel; a vendor rejects reasoning or calls that it did
 * not produce. An empty envelope lets the next request recognise that this part of the history is not that vendor's own, so that it is
 * converted: such parts are then left out or replaced.
 */
import type { Opaque, Part } from '#canonical/conversation'
import type { ConversationEvent } from '#canonical/conversation-event'
import type { Dialect } from '#shared/ids'

/** No upstream uses this dialect for reasoning, so no codec writes it. */
const nobody: Opaque = { dialect: 'completions', kind: 'signature', value: '' }

/** Slots in which a vendor expects its own state. */
const looksAt: Partial<Record<Dialect, ReadonlySet<Part['kind']>>> = {
  messages: new Set(['reasoning']),
  responses: new Set(['reasoning']),
  gemini: new Set(['call']),
}

/** Parts for a client of the dialect `slot`, with markers where they have no state. */
export function withStatelessMarkers(slot: Dialect, parts: readonly Part[]): Part[] {
  const kinds = looksAt[slot]
  return parts.map((part) => {
    if (!kinds?.has(part.kind) || (part.kind !== 'reasoning' && part.kind !== 'call') || (part.opaque?.length ?? 0) > 0) return part
    return { ...part, opaque: [nobody] }
  })
}

/** The same for the events of one stream; call it with every event, in order. */
export function statelessMarker(slot: Dialect): (event: ConversationEvent) => ConversationEvent[] {
  const kinds = looksAt[slot]
  const bare = new Set<string>()
  return (event) => {
    if (event.kind === 'open' && kinds?.has(event.part.kind)) {
      if (event.part.kind === 'call') {
        const state = event.part.opaque ?? []
        return [state.length > 0 ? event : { ...event, part: { ...event.part, opaque: [nobody] } }]
      }
      bare.add(`${event.choice}/${event.at}`)
    }
    if (event.kind === 'delta' && 'opaque' in event.delta) bare.delete(`${event.choice}/${event.at}`)
    if (event.kind === 'close' && bare.delete(`${event.choice}/${event.at}`)) {
      return [{ kind: 'delta', choice: event.choice, at: event.at, delta: { opaque: nobody } }, event]
    }
    return [event]
  }
}

/** The state, or undefined for a marker, which is no longer needed once it was recognised. */
export const withoutStatelessMarker = (opaque: Opaque | undefined): Opaque | undefined =>
  opaque?.dialect === nobody.dialect ? undefined : opaque
