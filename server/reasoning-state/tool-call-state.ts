/**
 * The state of an answer that is remembered by its tool calls, and its restoration in a later request: for clients that keep calls and drop
 * fields they do not know. Pure.
 */
import type { CallPart, Opaque, Part, ReasoningPart, Turn } from '#canonical/conversation'
import { type Conversation, nameOfCall, questionsIn } from './call-names.ts'

/** State of one call and of the reasoning that led to it. Positions matter: vendors reject reasoning that moved. */
export interface ToolCallState {
  /** State of the call itself. */
  state: Opaque[]
  /** Reasoning after the previous call, or at the beginning. */
  leading: ReasoningPart[]
  /** Reasoning after text that precedes this call. */
  direct: ReasoningPart[]
}

/** True when there is no state. */
export const isEmpty = ({ state, leading, direct }: ToolCallState): boolean => state.length + leading.length + direct.length === 0

/** The state of each call of an answer, including calls without any. Reasoning without any state is not kept. */
export function recollections(parts: readonly Part[]): Map<CallPart, ToolCallState> {
  const found = new Map<CallPart, ToolCallState>()
  for (const [way, call] of ways(parts)) {
    if (!call) continue
    const thoughts = way.filter((part) => part.kind === 'reasoning')
    const answerAt = way.findIndex((part) => part.kind !== 'reasoning')
    const kept = thoughts.some((part) => part.opaque.length > 0) ? thoughts : []
    const split = answerAt < 0 ? kept.length : Math.min(answerAt, kept.length)
    found.set(call, { state: call.opaque ?? [], leading: kept.slice(0, split), direct: kept.slice(split) })
  }
  return found
}

/**
 * Calls without any state, neither their own nor of reasoning before them, with their names (`nameOfCall`), in order. Calls with
 * nothing before them have no name and are missing.
 */
export function bareCalls(conversation: Conversation): Map<CallPart, string> {
  const bare = new Map<CallPart, string>()
  let questions: ReturnType<typeof questionsIn> | undefined
  let carried = false
  let called = false
  for (const [at, turn] of conversation.turns.entries()) {
    if (turn.role !== 'assistant') carried = false
    for (const part of turn.parts) {
      // Consecutive calls share the reasoning before the first.
      if (called && part.kind !== 'call') carried = false
      called = part.kind === 'call'
      carried ||= (part.kind === 'reasoning' && isWhole(part)) || (part.kind === 'call' && (part.opaque?.length ?? 0) > 0)
      if (part.kind !== 'call' || carried) continue
      questions ??= questionsIn(conversation)
      const question = questions(at)
      if (question !== undefined) bare.set(part, nameOfCall(part, question))
    }
  }
  return bare
}

/** The turns with remembered state (by name) put back in place. `bare`: the bare calls of these turns; everything else is unchanged. */
export function restored(
  turns: readonly Turn[],
  bare: ReadonlyMap<CallPart, string>,
  recalled: ReadonlyMap<string, ToolCallState>,
): Turn[] {
  const memoryOf = (call: CallPart) => recalled.get(bare.get(call) ?? '')
  return turns.map((turn) =>
    turn.parts.some((part) => part.kind === 'call' && memoryOf(part) !== undefined) ? restoredTurn(turn, memoryOf) : turn,
  )
}

function restoredTurn(turn: Turn, memoryOf: (call: CallPart) => ToolCallState | undefined): Turn {
  const parts: Part[] = []
  for (const [way, call] of ways(turn.parts)) {
    const memory = call && memoryOf(call)
    if (!call || !memory) parts.push(...way, ...(call ? [call] : []))
    else
      parts.push(...withThoughts(way, memory), call.opaque?.length || memory.state.length === 0 ? call : { ...call, opaque: memory.state })
  }
  return { ...turn, parts }
}

function withThoughts(way: Part[], { leading, direct }: ToolCallState): Part[] {
  if (leading.length + direct.length === 0 || way.some((part) => part.kind === 'reasoning' && isWhole(part))) return way
  return [...leading, ...way.filter((part) => part.kind !== 'reasoning'), ...direct]
}

/** True for a part with exactly one state. A client with a single field for all reasoning of an answer returns several in one part. */
const isWhole = (part: ReasoningPart) => part.opaque.length === 1

/** The parts between calls, with the call that follows them; the last ones have none. */
function* ways(parts: readonly Part[]): Generator<[way: Part[], call: CallPart | undefined]> {
  let way: Part[] = []
  for (const part of parts) {
    if (part.kind !== 'call') {
      way.push(part)
      continue
    }
    yield [way, part]
    way = []
  }
  yield [way, undefined]
}
