/**
 * One request from start to end, as the eight steps of the design. Knows no wire field, no vendor, no SQL: it only calls the
 * rooms that do. Start reading at `createRelay`.
 */

import type { Caller } from '#accounts/caller'
import type { Ticket } from '#billing/ratelimit/limits'
import type { Ask, Body, OpenWork, RelayParts, Reply } from '#relay/contract/ask'
import type { Relay } from '#relay/contract/relay'
import type { Arrival, Hold, InFlightRequest, ReadRequest, RequestModels, Why } from '#relay/contract/steps'
import { openConversation } from '#relay/conversation/conversation'
import { openInteraction } from '#relay/conversation/interaction'
import { clientClosed } from '#relay/exchange/ended'
import { openLargeConversation } from '#relay/large/large-conversation'
import { openOperation } from '#relay/operation/operation'
import { createAttemptLog } from '#relay/pipeline/attempt'
import { candidatesFor } from '#relay/pipeline/candidates'
import { send } from '#relay/pipeline/send'
import { streamed, streamReceiver } from '#relay/pipeline/stream'
import { whole, wholeReceiver } from '#relay/pipeline/whole'
import { takeHold, takeTicket } from '#relay/spend/hold'
import { createIntake, largeBody } from '#relay/spend/intake'
import { openSettlement, recordRefusal } from '#relay/spend/settle'
import { addBetas } from '#relay/spend/unpriced'
import { Abort, type AbortSignalLike } from '#runtime/contract/abort'
import type { Operation } from '#shared/ids'

/** Operations that have dialects; all others have styles. */
const conversations: ReadonlySet<Operation> = new Set(['generate', 'count-tokens', 'compact'])

/** Throws GatewayError when a part of the body that Parley reads is invalid. */
function openRequest(parts: RelayParts, ask: Ask, body: Body): ReadRequest {
  if (body.native) return openInteraction(parts, ask, body)
  if (!conversations.has(ask.operation)) return openOperation(parts, ask, body)
  return body.large ? openLargeConversation(parts, ask, body, body.large) : openConversation(parts, ask, body)
}

export function createRelay(parts: RelayParts): Relay {
  const { clock } = parts
  const inFlight = new InFlight(parts.open)
  const intake = createIntake(parts)
  const [receiveStream, receiveWhole] = [streamReceiver(clock), wholeReceiver(parts.random)]

  async function relay(asked: Ask): Promise<Reply> {
    // 1 and 2: its endpoint has matched and admitted it.
    const flight = new Flight(inFlight, asked.caller, asked.signal)
    const ask = { ...asked, signal: flight.signal }
    const arrival: Arrival = { ask, flight, at: new Date(clock.now()), tick: clock.monotonic() }
    const trace = parts.beginTrace?.(ask.requestId, ask.headers)
    let request: ReadRequest | undefined
    let models: RequestModels | undefined
    let ticket: Ticket | undefined
    let hold: Hold
    try {
      const room = ask.bytes > largeBody ? await intake.admit(ask) : undefined
      if (room) flight.keeps(room.release)
      // 3: head
      request = openRequest(parts, ask, await ask.body(room))
      if (ask.dialect === 'messages' && ask.headers.get('anthropic-beta')) addBetas(request)
      ask.check?.(request.head)
      // 4: plan
      const planned = candidatesFor(parts, request)
      models = planned instanceof Promise ? await planned : planned
      flight.asksFor(models.asked.model, request.head.stream)
      // 5: hold
      const taken = takeTicket(parts, request)
      ticket = taken instanceof Promise ? await taken : taken
      hold = takeHold(parts, arrival, request, models, ticket)
      await hold.ready
      ask.begun?.(ticket.left)
    } catch (thrown) {
      throw await recordRefusal(parts, arrival, { request, price: models?.asked.price, ticket }, thrown)
    }
    const attempts = createAttemptLog(trace)
    const settlement = openSettlement(parts, { arrival, request, models, hold, attempts })
    const { stream } = request.head
    const sending = { parts, request, models, attempts, flight: stream ? undefined : flight }
    // 6 to 8: send, answer, settle
    if (stream) return streamed(send(sending, receiveStream), { parts, arrival, request, models, hold, settlement })
    return whole(send(sending, receiveWhole), { parts, arrival, request, hold, settlement })
  }

  return Object.assign(relay, { end: (why: Why) => inFlight.end(why) })
}

/**
 * Requests that are being served, each with a signal by which it can be ended from outside, when its key is revoked or the process shuts
 * down. The same signal is aborted when the client disconnects; its reason tells the two apart. `open` counts them.
 */
class InFlight {
  readonly open: OpenWork
  /** The newest one. A doubly linked list, so that adding and removing is cheap, however many there are. */
  latest: Flight | undefined

  constructor(open: OpenWork) {
    this.open = open
  }

  /** Ends every request for which `why` returns a reason. */
  end(why: Why): void {
    for (let one = this.latest; one !== undefined; one = one.older) one.endIf(why)
  }
}

/** One request in flight. `client`: aborted when the client disconnects. */
class Flight implements InFlightRequest {
  readonly signal = new Abort()
  older: Flight | undefined
  #newer: Flight | undefined
  readonly #all: InFlight
  readonly #caller: Caller
  readonly #client: AbortSignalLike
  #model: string | undefined
  #isStream = false
  #isMaking = false
  #isGone = false
  #isPresent = true
  #release: (() => void) | undefined

  constructor(all: InFlight, caller: Caller, client: AbortSignalLike) {
    this.#all = all
    this.#caller = caller
    this.#client = client
    this.older = all.latest
    if (all.latest !== undefined) all.latest.#newer = this
    all.latest = this
    all.open.count += 1
    if (client.aborted) this.hangUp()
    else client.addEventListener('abort', this, { once: true })
  }

  /** The client has disconnected. */
  handleEvent(): void {
    this.hangUp()
  }

  hangUp(): void {
    this.#isGone = true
    if (!this.#isMaking) this.signal.abort(clientClosed())
  }

  making(isMaking: boolean): void {
    this.#isMaking = isMaking
    if (this.#isGone && !isMaking) this.hangUp()
  }

  left(): boolean {
    return this.#isGone
  }

  asksFor(model: string, isStream: boolean): void {
    this.#model = model
    this.#isStream = isStream
    if (isStream) this.#all.open.streams += 1
  }

  keeps(release: () => void): void {
    this.#release = release
  }

  leave(): void {
    this.#client.removeEventListener('abort', this)
    if (!this.#isPresent) return
    this.#isPresent = false
    this.#unlink()
    const { open } = this.#all
    open.count -= 1
    if (this.#isStream) open.streams -= 1
    this.#release?.()
  }

  endIf(why: Why): void {
    const reason = why(this.#caller, this.#model)
    if (reason !== undefined) this.signal.abort(reason)
  }

  /** Keeps its link to the older one: a running iteration may be at this one. */
  #unlink(): void {
    if (this.#newer === undefined) this.#all.latest = this.older
    else this.#newer.older = this.older
    if (this.older !== undefined) this.older.#newer = this.#newer
    // Otherwise a reference to this one would keep all newer ones in memory.
    this.#newer = undefined
  }
}
