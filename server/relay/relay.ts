/**
 * One request from start to end, as the eight steps of the design: the door has matched and admitted; here the head is read,
 * a plan made, money held, the request sent, the answer given, and everything settled whatever happens. Knows no wire field,
 * no vendor, no SQL: it only calls the rooms that do. Start reading at `createRelay`.
 */
import type { Head } from '#canonical/codec'
import { tokensOf } from '#metering/estimate'
import type { Ticket } from '#metering/limits'
import type { Price } from '#metering/price'
import { asGatewayError, GatewayError } from '#shared/errors'
import { isSideOperation } from '#shared/ids'
import type { Ask, RelayParts, Reply } from './ask.ts'
import { accountsOf, boundsOf } from './bounds.ts'
import type { Call, Opened } from './call.ts'
import { createGuests, type Why } from './guests.ts'
import { amountToBegin, amountToHold } from './hold.ts'
import { openOperation } from './operation.ts'
import { usageRow } from './report.ts'
import { everyServing, type Servings, servingsOf } from './serving.ts'
import { streamed } from './stream.ts'
import { openConversation } from './ways.ts'
import { whole } from './whole.ts'

export interface Relay {
  /** Throws GatewayError for every refusal, after its usage row is written. */
  (ask: Ask): Promise<Reply>
  /** Requests that are not settled yet. */
  open(): number
  /** Ends open requests for which there is a reason: they are told, and settled for what they got. */
  end(why: Why): void
}

/** State in an upstream's account is shared by all tenants of a channel: only what Parley recorded for this one may be named. */
function refuseForeignState(ask: Ask, head: Head): void {
  const foreign = head.stateRefs?.find(({ kind, id }) => !ask.known?.(kind, id))
  if (foreign) throw new GatewayError('not_found', `There is no ${foreign.kind} with this id.`)
}

const open = (ask: Ask, parts: RelayParts): Promise<Opened> =>
  isSideOperation(ask.operation) ? openOperation(ask, parts) : openConversation(ask, parts)

/** Every model that may answer, with its candidates in the order in which they will be tried. */
async function planFor(parts: RelayParts, ask: Ask, { head, inOrder }: Opened): Promise<Servings> {
  const servings = servingsOf(parts, ask, head)
  for (const serving of everyServing(servings)) {
    const inTheirOrder = inOrder ? await inOrder(serving.candidates) : serving.candidates
    // Whoever has nothing left for us would refuse, however well it fits.
    serving.candidates = parts.health.plentyFirst(inTheirOrder)
  }
  return servings
}

export function createRelay(parts: RelayParts): Relay {
  const guests = createGuests()

  async function relay(asked: Ask): Promise<Reply> {
    const guest = guests.enter(asked.caller, asked.signal)
    const ask = { ...asked, signal: guest.signal }
    const done = (tokens: number) => {
      guest.leave()
      ticket?.done(tokens)
      ask.release?.()
    }
    const begun = { at: new Date(parts.clock.now()), tick: parts.clock.monotonic() }
    let head: Head | undefined
    let price: Price | undefined
    let call: Call
    let ticket: Ticket | undefined
    let held = false
    try {
      const opened = await open(ask, parts)
      head = opened.head
      ask.check?.(head)
      refuseForeignState(ask, head)
      const servings = await planFor(parts, ask, opened)
      price = servings.asked.price
      ticket = await parts.limiter.take(boundsOf(ask.caller), tokensOf(head.inputBytes) + (head.maxOutput ?? 0) * head.n)
      const amount = (head.stream ? amountToBegin : amountToHold)(opened, everyServing(servings), ask.caller.group.ratio)
      await parts.books.hold(ask.requestId, accountsOf(ask.caller, begun.at.getTime()), amount)
      held = true
      call = {
        parts,
        ask,
        begun,
        opened,
        head,
        servings,
        held: amount,
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
      const row = usageRow(facts, { end: 'error', status: error.status, error, usage: undefined, cost: 0n })
      await (held ? parts.books.release(row) : parts.books.record(row))
      done(0)
      throw error
    }
    return call.head.stream ? streamed(call) : whole(call)
  }

  return Object.assign(relay, { open: guests.count, end: guests.end })
}
