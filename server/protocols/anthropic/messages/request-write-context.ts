/** The context shared by the writers of one request: the request, its losses, the upstream's tool names, and the four cache breakpoints. */
import type { Target } from '#canonical/codec'
import type { CacheMark, ConversationRequest, Part } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import { lossList, type WrittenFields } from '#protocols/codec/field-writers'
import { type ToolNames, toolNames } from '#protocols/codec/tool-names'

/** The state of writing one request. */
export interface RequestContext {
  request: ConversationRequest
  target: Target
  losses: LossList
  names: ToolNames
  /** A call id in the characters that the vendor allows; the same id is always written the same. */
  callId(id: string): string
  /** `cache_control` as a field to spread into a block; empty when there is no mark, or too many. */
  marked(mark: WrittenFields<CacheMark, { ttl: 'written' }> | undefined): { cache_control?: Record<string, string> }
}

const mostMarks = 4

/** Throws GatewayError `unsupported_value` when two tools have the same name. */
export function requestContext(request: ConversationRequest, target: Target): RequestContext {
  const losses = lossList()
  // The last breakpoints cover the most, so the first ones are dropped.
  let surplus = countMarks(request) - mostMarks
  return {
    request,
    target,
    losses,
    names: toolNames(request, { foreign: /[^A-Za-z0-9_-]/g, longest: 128 }),
    callId: callIds(),
    marked(mark) {
      if (!mark) return {}
      if (surplus-- > 0) {
        losses.leftOut('cache', 'Only four cache breakpoints are possible; the last ones stay.')
        return {}
      }
      const ttl = mark.ttl === '1h' || mark.ttl === '12h' ? '1h' : '5m'
      if (ttl !== mark.ttl) losses.adapted('cache.ttl', 'Caches are kept for five minutes or an hour.')
      return { cache_control: { type: 'ephemeral', ...(ttl === '1h' && { ttl }) } }
    },
  }
}

function countMarks({ tools, instructions, turns }: ConversationRequest): number {
  const inTools = tools.filter((tool) => tool.kind === 'function' && tool.cache).length
  const inInstructions = instructions.filter((instruction) => instruction.cache).length
  const inPart = (part: Part): number => {
    const own = 'cache' in part && part.cache ? 1 : 0
    return part.kind === 'result' ? own + part.parts.reduce((sum, inner) => sum + inPart(inner), 0) : own
  }
  const inTurns = turns.reduce((sum, { parts }) => sum + parts.reduce((some, part) => some + inPart(part), 0), 0)
  return inTools + inInstructions + inTurns
}

function callIds(): (id: string) => string {
  const given = new Map<string, string>()
  const taken = new Set<string>()
  return (id) => {
    const before = given.get(id)
    if (before !== undefined) return before
    const wanted = id.replace(/[^A-Za-z0-9_-]/g, '_') || 'call'
    let free = wanted
    for (let number = 2; taken.has(free); number++) free = `${wanted}_${number}`
    given.set(id, free)
    taken.add(free)
    return free
  }
}
