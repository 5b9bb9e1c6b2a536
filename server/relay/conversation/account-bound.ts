/**
 * State that only the account that created it can read: it keeps a conversation on its channel. On any other channel it is dropped with a
 * loss; if it replaces the conversation itself, the channel cannot be used at all.
 */
import type { ConversationRequest, Opaque, Part } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import type { Candidate } from '#routing/order'
import type { Makers } from './reading.ts'

/** The same candidates, those first whose channel sealed the latest state. */
export function makersFirst(candidates: readonly Candidate[], makers: Makers): readonly Candidate[] {
  if (makers.size === 0) return candidates
  const latest = [...makers.values()].at(-1)
  if (latest === undefined) return candidates
  const isMaker = ({ channel }: Candidate) => channel.id === latest
  return [...candidates.filter(isMaker), ...candidates.filter((candidate) => !isMaker(candidate))]
}

/** Whether the conversation contains state that this candidate's account did not create. */
export function holdsForeign({ channel }: Candidate, makers: Makers): boolean {
  for (const maker of makers.values()) if (maker !== channel.id) return true
  return false
}

export interface Portable {
  request: ConversationRequest
  lost: readonly Loss[]
}

const unreadable: Loss = {
  field: 'turns.reasoning',
  what: 'dropped',
  reason: 'State sealed by one account cannot be read by another.',
  meaning: true,
}

/**
 * The part of a request that this candidate can be sent. Throws `unsupported_value` when the rest would leave it without the earlier
 * conversation.
 */
export function portable(
  request: ConversationRequest,
  { dialect, channel }: Pick<Candidate, 'dialect'> & { channel: Pick<Candidate['channel'], 'id'> },
  makers: Makers,
): Portable {
  const lost: Loss[] = []
  const isForeign = (state: Opaque) => state.dialect === dialect && (makers.get(state.value) ?? channel.id) !== channel.id

  function isKept(part: Part, path: string | undefined): boolean {
    if (part.kind === 'native') refuseUnreadable(part.opaque ?? [], path)
    if (part.kind !== 'reasoning' || !part.opaque.some(isForeign)) return true
    if (lost.length === 0) lost.push(unreadable)
    return false
  }

  function refuseUnreadable(states: readonly Opaque[], path: string | undefined): void {
    if (states.some((state) => state.kind === 'compaction' && (state.dialect !== dialect || isForeign(state)))) {
      throw cannotCarry(request, 'turns', 'Only the channel that compacted this conversation can read what came before.', path)
    }
  }

  const turns = request.turns.map((turn) => ({ ...turn, parts: turn.parts.filter((part) => isKept(part, turn.path)) }))
  return { request: { ...request, turns: turns.filter(({ parts }) => parts.length > 0) }, lost }
}
