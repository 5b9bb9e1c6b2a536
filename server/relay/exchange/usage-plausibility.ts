/**
 * Checks whether an upstream's usage is plausible: `#billing/pricing/plausibility` has the bounds, this file has the request and the
 * candidate, and logs a warning for figures beyond the bounds.
 */

import { isPlausible, type PlausibleUsage, plausibleConversation, plausibleOperation, plausiblePart } from '#billing/pricing/plausibility'
import type { TokenEstimator } from '#canonical/token-estimator'
import type { Usage } from '#canonical/usage'
import type { Ask } from '#relay/contract/ask'
import type { Exchange } from '#relay/contract/exchange'
import type { Asked } from '#relay/contract/steps'
import type { Candidate } from '#routing/order'
import type { Log } from '#runtime/log'

/** Logs a warning, once per attempt. */
function warner(log: Log, ask: Ask, { channel, model }: Candidate): (told: Omit<Usage, 'raw'>) => void {
  let isSaid = false
  return ({ in: input, out, units }) => {
    if (isSaid) return
    isSaid = true
    const told = { in: input, out, searches: units.searches, seconds: units.seconds }
    const where = { requestId: ask.requestId, channel: channel.name, model: model.upstream, told }
    log.warn(where, 'the usage that an upstream told cannot be: it was counted here')
  }
}

/** Checks the usage that this candidate reports for a conversation; `addedBytes`: bytes that Parley added to the request. */
export function plausibilityOf(
  log: Log,
  { ask, head }: Asked,
  candidate: Candidate,
  addedBytes = 0,
): NonNullable<TokenEstimator['isPlausible']> {
  const { channel, model } = candidate
  const { set = {}, remove = [] } = channel.params
  // Fields that the operator sets may be limits or tools.
  const isAltered = Object.keys(set).length + remove.length > 0
  const limit = isAltered || ask.operation === 'compact' ? undefined : head.maxOutput
  const possible: PlausibleUsage = plausibleConversation({
    inputBytes: head.inputBytes,
    addedBytes: addedBytes + Buffer.byteLength(channel.systemPrompt ?? ''),
    n: head.n,
    maxOutput: limit,
    modelMaxOutput: model.capabilities.maxOutputTokens,
    context: model.capabilities.contextTokens,
    beside: head.beside,
    searchAsked: head.searchAsked || isAltered,
  })
  const warn = warner(log, ask, candidate)
  return (told) => {
    if (isPlausible(told, possible)) return true
    warn(told)
    return false
  }
}

/** The same exchange with a check that usage is at most `most`; implausible figures are charged only up to the plausible amount. */
export function withPlausibleUsage(exchange: Exchange, log: Log, ask: Ask, candidate: Candidate, most: Usage): Exchange {
  const possible = plausibleOperation(most, ask.operation === 'search')
  const warn = warner(log, ask, candidate)
  function plausible(told: Usage): Usage {
    if (told.provenance === 'estimated' || isPlausible(told, possible)) return told
    warn(told)
    return plausiblePart(told, possible, most)
  }
  return {
    ...exchange,
    whole(body, rest) {
      const answer = exchange.whole(body, rest)
      return { ...answer, usage: plausible(answer.usage) }
    },
    passage(type) {
      const passage = exchange.passage(type)
      const { counted } = passage
      return { ...passage, usage: () => plausible(passage.usage()), ...(counted && { counted: () => plausible(counted()) }) }
    },
  }
}
