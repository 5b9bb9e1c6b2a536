/** What a stream needs of the earlier steps, and its running cost. */
import { cost } from '#billing/pricing/cost'
import { firstOutputTokens, tokensOf } from '#billing/pricing/estimate'
import type { Rates } from '#billing/pricing/price'
import { joinLosses, type Loss } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import type { RelayParts } from '#relay/contract/ask'
import type { Passage } from '#relay/contract/exchange'
import type { Arrival, Hold, ReadRequest, Received, RequestModels } from '#relay/contract/steps'
import { answeringModel, growthWith } from '#relay/spend/hold'
import { openRunningCharge, type RunningCharge, type RunningChargeParts } from '#relay/spend/running-charge'
import { billedAs } from '#relay/spend/served-as'
import type { Settlement } from '#relay/spend/settle'
import { createTopUp, type TopUp, type TopUpParts } from '#relay/spend/top-up'
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
export const chargeOf = (stream: StreamParts, served: Received<Opening>): RunningCharge => openRunningCharge(new StreamBill(stream, served))

/** What the stream costs so far, and how its hold grows. */
class StreamBill implements RunningChargeParts, TopUpParts {
  readonly clock: RunningChargeParts['clock']
  readonly held: bigint
  readonly step: bigint
  readonly most: bigint | undefined
  readonly beyond: bigint
  readonly topUp: TopUp
  readonly #stream: StreamParts
  readonly #served: Received<Opening>
  readonly #rates: Rates
  readonly #ratio: bigint
  /** The cost of 4,096 output tokens. */
  readonly #slice: bigint

  constructor(stream: StreamParts, served: Received<Opening>) {
    const { parts, request, models, hold } = stream
    const modelCandidates = answeringModel(models, served.candidate)
    this.#stream = stream
    this.#served = served
    this.#rates = modelCandidates.price.rates
    this.#ratio = request.ask.caller.group.ratio
    const { step, most, slice } = growthWith(request, modelCandidates, this.#ratio)
    this.#slice = slice
    this.clock = parts.clock
    this.held = hold.amount
    this.step = step
    this.most = most
    this.beyond = slice > step ? slice : step
    this.topUp = createTopUp(this)
  }

  spent(): bigint {
    return this.#owed(this.#passage.usage())
  }

  counted(): bigint {
    return this.#owed(owedFor(this.#passage))
  }

  hasPlenty(): boolean {
    return this.#stream.parts.books.hasPlenty(this.#requestId)
  }

  grow(extra: bigint): boolean | Promise<boolean> {
    return this.#stream.parts.books.grow(this.#requestId, extra)
  }

  worth(bytes: number): bigint {
    return (this.#slice * BigInt(tokensOf(bytes))) / BigInt(firstOutputTokens)
  }

  note(): void {
    const served = this.#served
    const { passage, firstAt } = served.value
    const { settlement } = this.#stream
    settlement.note({ usage: passage.usage(), tier: passage.tier?.(), served, losses: lossesOf(served), firstAt })
  }

  get #passage(): Passage {
    return this.#served.value.passage
  }

  get #requestId(): string {
    return this.#stream.request.ask.requestId
  }

  #owed(usage: Usage): bigint {
    const tier = this.#passage.tier?.()
    return cost(billedAs(usage, tier, this.#stream.request.head, this.#rates, this.#served.candidate), this.#rates, this.#ratio)
  }
}
