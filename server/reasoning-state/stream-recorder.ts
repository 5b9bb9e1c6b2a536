/** Collects the state of calls from a streamed answer; keeps no text but reasoning and arguments. */
import type { Part, ReasoningPart } from '#canonical/conversation'
import type { ConversationEvent, Delta, PartHead } from '#canonical/conversation-event'

/** Call it with every event. */
export type StreamRecorder = (event: ConversationEvent) => void

/** Characters that every part counts at least. */
const outlineCharacters = 100

/**
 * Calls `finished` with the parts of each choice when it finishes: reasoning and calls in full, the rest empty. An answer with
 * more than `mostCharacters` of both is dropped: incomplete reasoning is useless.
 */
export function createStreamRecorder(mostCharacters: number, finished: (parts: Part[]) => void): StreamRecorder {
  const choices = new Map<number, Map<number, Part>>()
  let characters = 0

  function grow(part: Part | undefined, delta: Delta): void {
    if (part?.kind === 'reasoning') characters += grown(part, delta)
    else if (part?.kind !== 'call') return
    else if ('opaque' in delta) part.opaque = [...(part.opaque ?? []), delta.opaque]
    else if ('text' in delta) {
      part.argsText += delta.text
      characters += delta.text.length
    }
  }

  return (event) => {
    if (characters > mostCharacters) return choices.clear()
    switch (event.kind) {
      case 'open': {
        const parts = choices.get(event.choice) ?? new Map<number, Part>()
        choices.set(event.choice, parts.set(event.at, outline(event.part)))
        characters += outlineCharacters
        return
      }
      case 'delta':
        return grow(choices.get(event.choice)?.get(event.at), event.delta)
      case 'finish':
        finished([...(choices.get(event.choice)?.values() ?? [])])
        choices.delete(event.choice)
        return
      case 'start':
      case 'close':
      case 'usage':
      case 'end':
      case 'error':
        return
    }
  }
}

function outline(head: PartHead): Part {
  if (head.kind === 'reasoning') return { ...head, text: [], opaque: [] }
  if (head.kind === 'call') return { ...head, argsText: '' }
  return { kind: 'text', text: '' }
}

/** Applies the delta; returns by how many characters the part grew. */
function grown(part: ReasoningPart, delta: Delta): number {
  if ('opaque' in delta) {
    part.opaque.push(delta.opaque)
    return delta.opaque.value.length
  }
  if ('segment' in delta) part.text.push('')
  if (!('text' in delta)) return 0
  part.text.push((part.text.pop() ?? '') + delta.text)
  return delta.text.length
}
