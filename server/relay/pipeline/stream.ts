/**
 * Steps 6 to 8 for a stream. The head is held until the first meaningful event, or until the client has waited one heartbeat;
 * from the first content on nothing is retried and errors go in-band. The terminator leaves only after the books are closed.
 */

import { cost } from '#billing/pricing/cost'
import { firstOutputTokens, tokensOf } from '#billing/pricing/estimate'
import { joinLosses, type Loss } from '#canonical/loss'
import type { Usage } from '#canonical/usage'
import type { RelayParts, Reply } from '#relay/contract/ask'
import type { Passage } from '#relay/contract/exchange'
import type { Arrival, Ending, Hold, ReadRequest, Received, RequestModels } from '#relay/contract/steps'
import { clientClosed, endedBy } from '#relay/exchange/ended'
import { redacted } from '#relay/exchange/redacted'
import { answeringModel, growthOf } from '#relay/spend/hold'
import { openRunningCharge, type RunningCharge } from '#relay/spend/running-charge'
import { billedAs } from '#relay/spend/served-as'
import type { Settlement } from '#relay/spend/settle'
import { createTopUp } from '#relay/spend/top-up'
import type { Clock } from '#runtime/clock'
import { Abort } from '#runtime/contract/abort'
import type { Source } from '#runtime/outgoing-body'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { End } from '#shared/ids'
import { phaseLimits } from '#upstream/timeouts'
import { type Batch, type Opening, open, retire } from './opening.ts'
import { remember } from './remember.ts'
import type { Receiver } from './send.ts'

/** Takes a stream at its first meaningful event. */
export const streamReceiver = (clock: Clock): Receiver<Opening> => ({
  limits: (candidate) => phaseLimits(candidate.channel.timeouts),
  receive: (answer, exchange, timer) => open(exchange, answer, timer, clock),
})

/** What a stream needs of the steps before it. */
export interface StreamParts {
  parts: RelayParts
  arrival: Arrival
  request: ReadRequest
  models: RequestModels
  hold: Hold
  settlement: Settlement
}

/** Of the request and of the answer so far. A stream's header can only tell what is known at its head; its row tells all. */
function lossesOf(received: Received<Opening> | undefined): readonly Loss[] {
  return received ? joinLosses(received.exchange.losses, received.value.passage.losses?.()) : []
}

const owedFor = (passage: Passage): Usage => passage.counted?.() ?? passage.usage()

/** The running bill of what this upstream sends. */
function chargeOf({ parts, request, models, hold, settlement }: StreamParts, served: Received<Opening>): RunningCharge {
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

/** How an answer ends that Parley itself ends. */
const endOf = (error: GatewayError): End => (error.blame === 'client' ? 'error' : 'cut')

/** True when `work` ended, well or badly, within `ms`. */
async function endsWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  const waited = new Abort()
  const yes = () => true
  const late = clock.sleep(ms, waited).then(() => false, yes)
  const ended = await Promise.race([work.then(yes, yes), late])
  waited.abort(undefined)
  return ended
}

/** Rejects with GatewayError, already settled, when every attempt failed before the head was committed. */
export async function streamed(sending: Promise<Received<Opening>>, stream: StreamParts): Promise<Reply> {
  const { parts, request, hold, settlement } = stream
  const { keepalive } = request
  // A dialect that has no way to say "wait" keeps the client waiting for the head.
  const answered = keepalive === undefined || (await endsWithin(sending, parts.heartbeatMs, parts.clock))
  try {
    const received = answered ? await sending : undefined
    const contentType = received?.value.contentType ?? 'text/event-stream; charset=utf-8'
    const body = flow(stream, sending, answered ? undefined : keepalive)
    return {
      status: 200,
      contentType,
      body,
      losses: lossesOf(received),
      left: hold.ticket.left,
      ...(keepalive && { heartbeat: keepalive }),
    }
  } catch (thrown) {
    throw await settlement.refuse(thrown)
  }
}

/** The rest of the answer as a source that is pulled by the client. `greeting` goes out at once, to show that we are here. */
function flow(stream: StreamParts, sending: Promise<Received<Opening>>, greeting: Uint8Array | undefined): Source {
  const { parts, arrival, request, settlement } = stream
  const { signal } = request.ask
  let hello = greeting
  /** Who delivers, known before anything of it is given on: a client that leaves in between still pays for it. */
  let arrived: Received<Opening> | undefined
  let opened: Received<Opening> | undefined
  let charge: RunningCharge | undefined
  let kept: Uint8Array | undefined
  let broken = false
  /** What is left to say after it was ended from outside. */
  let farewell: Promise<Uint8Array | undefined> | undefined
  let stage: 'opening' | 'flowing' | 'ending' | 'over' = 'opening'
  const over = () => stage === 'over'

  sending.then(
    (received) => {
      arrived = received
      if (over()) drop(received.value)
    },
    () => undefined,
  )

  function drop({ timer, answer }: Opening): void {
    timer.stop()
    answer.cancel()
  }

  async function close(end: End, status: number, error: GatewayError | undefined): Promise<void> {
    if (over()) return
    stage = 'over'
    const opening = arrived?.value
    opening?.timer.stop()
    if (opening && (end === 'complete' || end === 'length')) retire(opening.answer, parts.clock)
    else if (opening) drop(opening)
    if (arrived && error) parts.health.failed(arrived.candidate, error)
    const ending: Ending = {
      end,
      status,
      error,
      usage: opening && owedFor(opening.passage),
      tier: opening?.passage.tier?.(),
      served: arrived,
      losses: lossesOf(arrived),
      firstAt: opening?.firstAt,
      streamedMs: opening ? parts.clock.monotonic() - opening.firstAt : 0,
    }
    await charge?.close()
    await settlement.settle(ending)
  }

  /** Settles a failure and says it in the client's dialect, behind whatever was already there to say. */
  async function fail(thrown: GatewayError, before: readonly Uint8Array[], end: End): Promise<Uint8Array | undefined> {
    const error = opened ? redacted(thrown, opened.candidate) : thrown
    const said = opened?.value.passage.failure(error) ?? request.writeStreamError?.(error)
    broken = said === undefined
    await close(end, 200, error)
    return said && Buffer.concat([...before, said])
  }

  async function finish(opening: Opening): Promise<Uint8Array | undefined> {
    if (request.ask.answered && kept) await remember(parts, request, new TextDecoder().decode(kept))
    await close(opening.passage.finished(), 200, undefined)
    return kept
  }

  /** What of a batch leaves now; undefined when there is nothing yet. */
  async function deliver(opening: Opening, batch: Batch): Promise<Uint8Array | undefined> {
    if (batch.error) return fail(batch.error, batch.out, batch.cut ? 'cut' : 'error')
    if (batch.last) {
      kept = batch.terminator
      stage = 'ending'
      if (batch.out.length === 0) return finish(opening)
    }
    const asked = batch.last ? undefined : (batch.asked ?? charge?.passed(batch.size))
    if (asked) opening.timer.pause()
    const stopped = asked && (await asked)
    if (over()) return undefined
    if (stopped) return fail(stopped, batch.out, endOf(stopped))
    if (batch.out.length < 2) return batch.out[0]
    return Buffer.concat(batch.out)
  }

  async function advance(): Promise<Uint8Array | undefined> {
    if (!opened) {
      opened = await sending
      charge = chargeOf(stream, opened)
      stage = 'flowing'
      const first = await deliver(opened.value, opened.value.first)
      if (first) return first
    }
    const { value: opening } = opened
    if (stage === 'ending') return finish(opening)
    opening.timer.touch()
    for (;;) {
      const bytes = await deliver(opening, await opening.pump(charge))
      if (bytes !== undefined || over()) {
        opening.timer.pause()
        return bytes ?? lastWord()
      }
      opening.timer.touch()
    }
  }

  function lastWord(): Promise<Uint8Array | undefined> | undefined {
    const said = farewell
    farewell = undefined
    return said
  }

  /** The client left, or it is told why it may not go on: at once, whether or not it is listening just now. */
  function ended(): void {
    const error = endedBy(signal)
    if (error.code === 'client_closed_request') source.close()
    else if (!over() && stage !== 'ending') farewell = fail(error, [], endOf(error))
  }

  const source: Source = {
    async next() {
      if (over()) return lastWord()
      if (hello) {
        const bytes = hello
        hello = undefined
        return bytes
      }
      try {
        return await advance()
      } catch (thrown) {
        if (signal.aborted || over()) return lastWord()
        const reason = opened?.value.timer.signal.reason
        return fail(reason instanceof GatewayError ? reason : asGatewayError(thrown), [], opened ? 'cut' : 'error')
      }
    },
    broke: () => broken,
    close() {
      if (over()) return
      arrival.flight.hangUp()
      void close('aborted', 499, clientClosed())
    },
  }
  if (signal.aborted) ended()
  else signal.addEventListener('abort', ended, { once: true })
  return source
}
