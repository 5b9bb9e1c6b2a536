/**
 * One request from start to end, as the eight steps of the design. Knows no wire field, no vendor, no SQL: it only calls the
 * rooms that do. Start reading at `createRelay`.
 */

import type { Ticket } from '#billing/ratelimit/limits'
import type { Ask, RelayParts, Reply } from '#relay/contract/ask'
import type { Relay } from '#relay/contract/relay'
import type { Arrival, Hold, ReadRequest, RequestModels } from '#relay/contract/steps'
import { createAttemptLog } from '#relay/pipeline/attempt'
import { candidatesFor } from '#relay/pipeline/candidates'
import { createInFlight } from '#relay/pipeline/in-flight'
import { checkHead, readRequest } from '#relay/pipeline/request'
import { send } from '#relay/pipeline/send'
import { streamed, streamReceiver } from '#relay/pipeline/stream'
import { whole, wholeReceiver } from '#relay/pipeline/whole'
import { takeHold, takeTicket } from '#relay/spend/hold'
import { openSettlement, recordRefusal } from '#relay/spend/settle'

export function createRelay(parts: RelayParts): Relay {
  const { clock } = parts
  const inFlight = createInFlight()

  async function relay(asked: Ask): Promise<Reply> {
    // 1 and 2: its door has matched and admitted it.
    const flight = inFlight.enter(asked.caller, asked.signal)
    const ask = { ...asked, signal: flight.signal }
    const arrival: Arrival = { ask, flight, at: new Date(clock.now()), tick: clock.monotonic() }
    let request: ReadRequest | undefined
    let models: RequestModels | undefined
    let ticket: Ticket | undefined
    let hold: Hold
    try {
      // 3: head
      request = await readRequest(parts, ask)
      checkHead(request)
      // 4: plan
      models = await candidatesFor(parts, request)
      // 5: hold
      ticket = await takeTicket(parts, request)
      hold = await takeHold(parts, arrival, request, models, ticket)
    } catch (thrown) {
      throw await recordRefusal(parts, arrival, { request, price: models?.asked.price, ticket }, thrown)
    }
    const attempts = createAttemptLog()
    const settlement = openSettlement(parts, { arrival, request, models, hold, attempts })
    const sending = { parts, request, models, attempts }
    // 6 to 8: send, answer, settle
    if (request.head.stream) return streamed(send(sending, streamReceiver(clock)), { parts, arrival, request, models, hold, settlement })
    return whole(send(sending, wholeReceiver), { parts, request, hold, settlement })
  }

  return Object.assign(relay, { open: inFlight.count, end: inFlight.end })
}
