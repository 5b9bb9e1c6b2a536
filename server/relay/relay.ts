/**
 * One request from start to end, as the eight steps of the design: the door has matched and admitted; here the head is read,
 * a plan made, money held, the request sent, the answer given, and everything settled whatever happens. Knows no wire field,
 * no vendor, no SQL: it only calls the rooms that do. Start reading at `createRelay`.
 */
import type { Caller } from '#accounts/caller'
import type { Head } from '#canonical/codec'
import { tokensOf } from '#metering/estimate'
import type { Bounded, Ticket } from '#metering/limits'
import type { Price } from '#metering/price'
import type { Candidate } from '#routing/order'
import { modelNotFound, plan } from '#routing/plan'
import { asGatewayError, GatewayError } from '#shared/errors'
import { isSideOperation } from '#shared/ids'
import type { Ask, RelayParts, Reply } from './ask.ts'
import type { Call, Opened } from './call.ts'
import { amountToHold } from './hold.ts'
import { openOperation } from './operation.ts'
import { usageRow } from './report.ts'
import { streamed } from './stream.ts'
import { openConversation } from './ways.ts'
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

const open = (ask: Ask, parts: RelayParts): Promise<Opened> =>
  isSideOperation(ask.operation) ? openOperation(ask, parts) : openConversation(ask, parts)

function planFor(parts: RelayParts, ask: Ask, head: Head): Candidate[] {
  const { caller, dialect } = ask
  // Whoever can go on with a conversation can compact it: where the upstream has no door for that, Parley does it.
  const operation = ask.operation === 'compact' ? 'generate' : ask.operation
  return plan(parts.channels, { group: caller.group.name, model: head.model, models: caller.models, operation, dialect }, parts.dice.roll)
}

/** Everything whose limits a request is under. */
export function boundsOf({ key, user, group }: Caller): Bounded[] {
  return [
    ...(key ? [{ id: `key:${key.id}`, limits: key.limits }] : []),
    { id: `user:${user.id}`, limits: user.limits },
    { id: `group:${group.name}`, limits: group.limits },
  ]
}

export function createRelay(parts: RelayParts): Relay {
  let running = 0

  async function relay(ask: Ask): Promise<Reply> {
    running += 1
    const done = (tokens: number) => {
      running -= 1
      ticket?.done(tokens)
      ask.release?.()
    }
    const begun = { at: new Date(parts.clock.now()), tick: parts.clock.monotonic() }
    let head: Head | undefined
    let price: Price | undefined
    let call: Call
    let ticket: Ticket | undefined
    try {
      const opened = await open(ask, parts)
      head = opened.head
      ask.check?.(head)
      refuseForeignState(ask, head)
      price = priceOf(parts, head)
      const planned = parts.health.fit(planFor(parts, ask, head))
      const candidates = (await opened.inOrder?.(planned)) ?? planned
      ticket = parts.limiter.take(boundsOf(ask.caller), tokensOf(head.inputBytes) + (head.maxOutput ?? 0) * head.n)
      await parts.books.hold(ask.requestId, ask.caller.user.id, amountToHold(opened, price, candidates, ask.caller.group.ratio))
      call = {
        parts,
        ask,
        begun,
        opened,
        head,
        price,
        candidates,
        attempts: [],
        left: ticket.left,
        way: (candidate) => way(candidate),
        closed: done,
      }
      const way = opened.ways(call)
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
      done(0)
      throw error
    }
    return call.head.stream ? streamed(call) : whole(call)
  }

  return Object.assign(relay, { open: () => running })
}
