/**
 * Marks on what came without any state. A client sends its history to whatever channel comes next; a vendor that finds
 * reasoning or calls which it did not make refuses them. An envelope around nothing lets the next request see that this part
 * of the history is not that vendor's own, so that it goes through conversion, where such parts are left out or signed anew.
 */
import type { ConversationEvent, Opaque, Part } from '#canonical/conversation'
import type { Dialect } from '#shared/ids'

/** No upstream speaks it when reasoning is about, so no codec ever writes it. */
const nobody: Opaque = { dialect: 'completions', kind: 'signature', value: '' }

/** Slots in which a vendor looks for its own state. */
const looksAt: Partial<Record<Dialect, ReadonlySet<Part['kind']>>> = {
  messages: new Set(['reasoning']),
  responses: new Set(['reasoning']),
  gemini: new Set(['call']),
}

/** Parts for a client of the dialect `slot`, marked where they came without state. */
export function withStatelessMarkers(slot: Dialect, parts: readonly Part[]): Part[] {
  const kinds = looksAt[slot]
  return parts.map((part) => {
    if (!kinds?.has(part.kind) || (part.kind !== 'reasoning' && part.kind !== 'call') || (part.opaque?.length ?? 0) > 0) return part
    return { ...part, opaque: [nobody] }
  })
}

/** The same for the events of one stream; to be shown every event, in order. */
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

/** State without the mark, which has done its work when it was seen. */
export const withoutStatelessMarker = (opaque: Opaque | undefined): Opaque | undefined =>
  opaque?.dialect === nobody.dialect ? undefined : opaque
