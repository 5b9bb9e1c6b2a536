/** What a stream needs of the earlier steps, and its running cost. */
import { cost } from '#billing/pricing/cost'
import { firstOutputTokens, tokensOf } from '#billing/pricing/estimate'
import { joinLosses, type Loss } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import type { RelayParts } from '#relay/contract/ask'
import type { Passage } from '#relay/contract/exchange'
import type { Arrival, Hold, ReadRequest, Received, RequestModels } from '#relay/contract/steps'
import { answeringModel, growthOf } from '#relay/spend/hold'
import { openRunningCharge, type RunningCharge } from '#relay/spend/running-charge'
import { billedAs } from '#relay/spend/served-as'
import type { Settlement } from '#relay/spend/settle'
import { createTopUp } from '#relay/spend/top-up'
import type { Opening } from './opening.ts'

/** What a stream needs of the steps before it. */
export interface StreamParts {
  parts: RelayParts
  arrival: Arrival
  request: ReadRequest
  models: RequestModels
  hold: Hold
  settlement: Settlement
}

/**
 * Losses of the request and of the answer so far. The header of a stream can only list those known at its start; the usage row lists all.
 */
export function lossesOf(received: Received<Opening> | undefined): readonly Loss[] {
  return received ? joinLosses(received.exchange.losses, received.value.passage.losses?.()) : []
}

/** The usage that is charged. */
export const owedFor = (passage: Passage): Usage => passage.counted?.() ?? passage.usage()

/** The running charge for this upstream's stream. */
export function chargeOf({ parts, request, models, hold, settlement }: StreamParts, served: Received<Opening>): RunningCharge {
  const { ask } = request
  const modelCandidates = answeringModel(models, served.candidate)
  const { ratio } = ask.caller.group
  const { step, most, slice } = growthOf(request, modelCandidates, ratio)
  const { passage, firstAt } = served.value
  const { rates } = modelCandidates.price
  const owed = (usage: Usage) => cost(billedAs(usage, passage.tier?.(), request.head, rates, served.candidate), rates, ratio)
  const grow = (extra: bigint) => parts.books.grow(ask.requestId, extra)
  return openRunningCharge({
    clock: parts.clock,
    topUp: createTopUp({ held: hold.amount, step, ...(most !== undefined && { most }), beyond: slice > step ? slice : step, grow }),
    spent: () => owed(passage.usage()),
    counted: () => owed(owedFor(passage)),
    hasPlenty: () => parts.books.hasPlenty(ask.requestId),
    worth: (bytes) => (slice * BigInt(tokensOf(bytes))) / BigInt(firstOutputTokens),
    note: () => settlement.note({ usage: passage.usage(), tier: passage.tier?.(), served, losses: lossesOf(served), firstAt }),
  })
}
