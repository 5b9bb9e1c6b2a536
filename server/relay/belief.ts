/**
 * What of an upstream's figures is believed: `#metering/belief` says what can be, this file knows what was asked of whom, and
 * warns in the program's log of what cannot.
 */
import type { Gauge } from '#canonical/gauge'
import type { Usage } from '#canonical/usage'
import { isPossible, type Possible, possibleBeside, possibleIn, possiblePart } from '#metering/belief'
import type { Candidate } from '#routing/order'
import type { Call } from './call.ts'
import type { Way } from './way.ts'

/** A word for the log, once for each attempt. */
function warner({ parts, ask }: Call, { channel, model }: Candidate): (told: Omit<Usage, 'raw'>) => void {
  let isSaid = false
  return ({ in: input, out, units }) => {
    if (isSaid) return
    isSaid = true
    const told = { in: input, out, searches: units.searches, seconds: units.seconds }
    const where = { requestId: ask.requestId, channel: channel.name, model: model.upstream, told }
    parts.log.warn(where, 'the usage that an upstream told cannot be: it was counted here')
  }
}

/** Judges what this candidate says of a conversation; `addedBytes` are what Parley put into the request. */
export function beliefOf(call: Call, candidate: Candidate, addedBytes = 0): NonNullable<Gauge['believes']> {
  const { head, ask } = call
  const { channel, model } = candidate
  const { set = {}, remove = [] } = channel.params
  // What the operator sets may be a limit or a tool.
  const isAltered = Object.keys(set).length + remove.length > 0
  const limit = isAltered || ask.operation === 'compact' ? undefined : head.maxOutput
  const possible: Possible = possibleIn({
    inputBytes: head.inputBytes,
    addedBytes: addedBytes + Buffer.byteLength(channel.systemPrompt ?? ''),
    n: head.n,
    maxOutput: limit,
    modelMaxOutput: model.capabilities.maxOutputTokens,
    context: model.capabilities.contextTokens,
    beside: head.beside,
    searchAsked: head.searchAsked || isAltered,
  })
  const warn = warner(call, candidate)
  return (told) => {
    if (isPossible(told, possible)) return true
    warn(told)
    return false
  }
}

/** The same way to ask an operation, whose answers are charged for what can be. */
export function believing(way: Way, call: Call, candidate: Candidate): Way {
  const { most } = call.opened
  if (!most) return way
  const possible = possibleBeside(most, call.ask.operation === 'search')
  const warn = warner(call, candidate)
  function believed(told: Usage): Usage {
    if (told.provenance === 'estimated' || isPossible(told, possible)) return told
    warn(told)
    return possiblePart(told, possible, most ?? told)
  }
  return {
    ...way,
    whole(body, rest) {
      const answer = way.whole(body, rest)
      return { ...answer, usage: believed(answer.usage) }
    },
    passage(type) {
      const passage = way.passage(type)
      const { counted } = passage
      return { ...passage, usage: () => believed(passage.usage()), ...(counted && { counted: () => believed(counted()) }) }
    },
  }
}
