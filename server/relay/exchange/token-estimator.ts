/**
 * Counts the tokens of one attempt if its upstream does not report them, and checks those that it does report against the bounds of
 * `#billing/pricing/plausibility`, for this request and candidate. Implausible figures are logged as a warning.
 */

import { isPlausible, type PlausibleUsage, plausibleConversation, plausibleOperation, plausiblePart } from '#billing/pricing/plausibility'
import { createTokenEstimator, type SampledRequest } from '#billing/tokens/tokenizer'
import { roughly, type Scale, type TokenEstimator } from '#canonical/token-estimator'
import type { Usage } from '#canonical/usage'
import type { Ask } from '#relay/contract/ask'
import type { Exchange } from '#relay/contract/exchange'
import type { Asked } from '#relay/contract/steps'
import type { Candidate } from '#routing/order'
import type { Log } from '#runtime/log'
import { passageOver } from './passage-over.ts'

/** Logs a warning, once per attempt. */
function warner(log: Log, ask: Ask, { channel, model }: Candidate): (reported: Omit<Usage, 'raw'>) => void {
  let hasWarned = false
  return ({ in: input, out, units }) => {
    if (hasWarned) return
    hasWarned = true
    const reported = { in: input, out, searches: units.searches, seconds: units.seconds }
    const where = { requestId: ask.requestId, channel: channel.name, model: model.upstream, reported }
    log.warn(where, 'implausible usage reported by the upstream; tokens were counted locally')
  }
}

/** Checks what this candidate reports for a conversation. */
function plausibilityOf(
  log: Log,
  { ask, head }: Asked,
  candidate: Candidate,
  addedBytes: number,
): NonNullable<TokenEstimator['isPlausible']> {
  let possible: PlausibleUsage | undefined
  let warn: ReturnType<typeof warner> | undefined
  return (reported) => {
    // Computed when the upstream first reports figures, which may never happen.
    possible ??= largestFor({ ask, head }, candidate, addedBytes)
    if (isPlausible(reported, possible)) return true
    warn ??= warner(log, ask, candidate)
    warn(reported)
    return false
  }
}

function largestFor({ ask, head }: Asked, { channel, model }: Candidate, addedBytes: number): PlausibleUsage {
  const { set, remove } = channel.params
  // The fields that the operator sets may be a limit or a tool.
  const isAltered = (set !== undefined && Object.keys(set).length > 0) || (remove !== undefined && remove.length > 0)
  const limit = isAltered || ask.operation === 'compact' ? undefined : head.maxOutput
  return plausibleConversation({
    inputBytes: head.inputBytes,
    addedBytes: addedBytes + Buffer.byteLength(channel.systemPrompt ?? ''),
    n: head.n,
    maxOutput: limit,
    modelMaxOutput: model.capabilities.maxOutputTokens,
    context: model.capabilities.contextTokens,
    nonText: head.nonText,
    searchAsked: head.searchAsked || isAltered,
  })
}

/** The same exchange for an operation whose usage is at most `most`; implausible figures are charged up to what is plausible. */
export function withPlausibleUsage(exchange: Exchange, log: Log, ask: Ask, candidate: Candidate, most: Usage): Exchange {
  const possible = plausibleOperation(most, ask.operation === 'search')
  const warn = warner(log, ask, candidate)
  function plausible(reported: Usage): Usage {
    if (reported.provenance === 'estimated' || isPlausible(reported, possible)) return reported
    warn(reported)
    return plausiblePart(reported, possible, most)
  }
  return {
    ...exchange,
    async whole(body, rest) {
      const answer = await exchange.whole(body, rest)
      return { ...answer, usage: plausible(answer.usage) }
    },
    passage(type) {
      const passage = exchange.passage(type)
      return passageOver(passage, {
        usage: () => plausible(passage.usage()),
        counted: () => plausible(passage.counted?.() ?? passage.usage()),
      })
    },
  }
}

/** `raw` is the body as the client sent it, or a sample of it; `addedBytes`: what Parley added to the request. */
export function estimatorOf(log: Log, asked: Asked, raw: string | SampledRequest, candidate: Candidate, addedBytes = 0): TokenEstimator {
  const { inputBytes, media } = asked.head
  const request = () => (typeof raw === 'string' ? { body: raw, bytes: inputBytes, hasFiles: media.length > 0 } : raw)
  return createTokenEstimator(candidate.model.upstream, request, { isPlausible: plausibilityOf(log, asked, candidate, addedBytes) })
}

/** A rough estimator, four bytes per token, with the same plausibility check of the upstream's reports. */
export const roughlyAs = (estimator: TokenEstimator): Scale => {
  const { isPlausible } = estimator
  return isPlausible ? { ...roughly, isPlausible } : roughly
}
