/**
 * One request from start to end, as the eight steps of the design: the door has matched and admitted; here the head is read,
 * a plan made, money held, the request sent, the answer given, and everything settled whatever happens. Knows no wire field,
 * no vendor, no SQL: it only calls the rooms that do. Start reading at `createRelay`.
 */
import type { Head } from '#canonical/codec'
import { largestCost } from '#metering/estimate'
import type { Price } from '#metering/price'
import { conversationCodecs } from '#protocols/index'
import type { Candidate } from '#routing/order'
import { modelNotFound, plan } from '#routing/plan'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { Ask, RelayParts, Reply } from './ask.ts'
import type { Call } from './call.ts'
import { usageRow } from './report.ts'
import { streamed } from './stream.ts'
import { waysOf } from './ways.ts'
import { whole } from './whole.ts'

export interface Relay {
  /** Throws GatewayError for every refusal, after its usage row is written. */
  (ask: Ask): Promise<Reply>
  /** Requests that are not settled yet. */
  open(): number
}

/** State in an upstream's account is shared by all tenants of a channel: only what Parley recorded for this one may be named. */
function refuseForeignState(ask: Ask, head: Head): void {
  const foreign = head.stateRefs?.find(({ kind, id }) => !ask.known?.(kind, id))
  if (foreign) throw new GatewayError('not_found', `There is no ${foreign.kind} with this id.`)
}

function priceOf(parts: RelayParts, head: Head): Price {
  const price = parts.prices.get(head.model)
  if (!price) throw modelNotFound()
  return price
}

function planFor(parts: RelayParts, ask: Ask, head: Head): Candidate[] {
  const { caller, operation, dialect } = ask
  return plan(parts.channels, { group: caller.group.name, model: head.model, models: caller.models, operation, dialect }, parts.dice.roll)
}

/** Nano-dollars: the largest cost over all planned candidates. */
function amountToHold(ask: Ask, head: Head, price: Price, candidates: readonly Candidate[]): bigint {
  const limits = candidates.map((candidate) => candidate.model.capabilities.maxOutputTokens)
  const modelMaxOutput = limits.some((limit) => limit === undefined) ? undefined : Math.max(...limits.map((limit) => limit ?? 0))
  return largestCost(
    { inputBytes: head.inputBytes, n: head.n, maxOutput: head.maxOutput, modelMaxOutput },
    price.rates,
    ask.caller.group.ratio,
  )
}

export function createRelay(parts: RelayParts): Relay {
  let open = 0

  async function relay(ask: Ask): Promise<Reply> {
    open += 1
    const begun = { at: new Date(parts.clock.now()), tick: parts.clock.monotonic() }
    let head: Head | undefined
    let price: Price | undefined
    let call: Call
    try {
      const codec = conversationCodecs[ask.dialect]
      const raw = await ask.body()
      head = codec.readHead(raw, ask.path)
      ask.check?.(head)
      refuseForeignState(ask, head)
      price = priceOf(parts, head)
      const candidates = planFor(parts, ask, head)
      await parts.books.hold(ask.requestId, ask.caller.user.id, amountToHold(ask, head, price, candidates))
      call = {
        parts,
        ask,
        begun,
        codec,
        raw,
        head,
        price,
        candidates,
        attempts: [],
        way: waysOf(() => call),
        closed: () => (open -= 1),
      }
    } catch (thrown) {
      const error = asGatewayError(thrown)
      const facts = {
        ask,
        head,
        price,
        at: begun.at,
        served: undefined,
        losses: [],
        attempts: [],
        firstTokenMs: undefined,
        totalMs: parts.clock.monotonic() - begun.tick,
      }
      await parts.books.record(usageRow(facts, { end: 'error', status: error.status, error, usage: undefined, cost: 0n }))
      open -= 1
      throw error
    }
    return call.head.stream ? streamed(call) : whole(call)
  }

  return Object.assign(relay, { open: () => open })
}
