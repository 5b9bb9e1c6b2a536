/**
 * What is remembered of an answer by its tool calls, and how a later request gets it back: for clients that keep calls and drop
 * fields they do not know. Pure.
 */
import type { CallPart, Opaque, Part, ReasoningPart, Turn } from '#canonical/conversation'

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

/** The calls of an answer by id, including those without state. Reasoning without any state is not kept. */
export function recollections(parts: readonly Part[]): Map<string, ToolCallState> {
  const found = new Map<string, ToolCallState>()
  for (const [way, call] of ways(parts)) {
    if (!call) continue
    const thoughts = way.filter((part) => part.kind === 'reasoning')
    const said = way.findIndex((part) => part.kind !== 'reasoning')
    const kept = thoughts.some((part) => part.opaque.length > 0) ? thoughts : []
    const split = said < 0 ? kept.length : Math.min(said, kept.length)
    found.set(call.callId, { state: call.opaque ?? [], leading: kept.slice(0, split), direct: kept.slice(split) })
  }
  return found
}

/** Ids of calls without any state, neither their own nor of reasoning before them; the latest last. */
export function bareCalls(turns: readonly Turn[]): string[] {
  const bare = new Set<string>()
  let carried = false
  let called = false
  for (const turn of turns) {
    if (turn.role !== 'assistant') carried = false
    for (const part of turn.parts) {
      // Consecutive calls share the reasoning before the first.
      if (called && part.kind !== 'call') carried = false
      called = part.kind === 'call'
      carried ||= (part.kind === 'reasoning' && isWhole(part)) || (part.kind === 'call' && (part.opaque?.length ?? 0) > 0)
      if (part.kind === 'call' && !carried) bare.add(part.callId)
    }
  }
  return [...bare]
}

/** The turns with remembered state in its old places; turns that carry state are unchanged. */
export function restored(turns: readonly Turn[], recalled: ReadonlyMap<string, ToolCallState>): Turn[] {
  return turns.map((turn) =>
    turn.parts.some((part) => part.kind === 'call' && recalled.has(part.callId)) ? restoredTurn(turn, recalled) : turn,
  )
}

function restoredTurn(turn: Turn, recalled: ReadonlyMap<string, ToolCallState>): Turn {
  const parts: Part[] = []
  for (const [way, call] of ways(turn.parts)) {
    const memory = call && recalled.get(call.callId)
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

/** True for a part with exactly one state. A client with a single place for all reasoning of an answer returns several in one part. */
const isWhole = (part: ReasoningPart) => part.opaque.length === 1

/** The parts between calls, each with the call that follows; the last has none. */
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
