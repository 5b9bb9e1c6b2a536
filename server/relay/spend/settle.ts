/**
 * Step 8. The charge of a finished request: by the upstream's figures if it reported any, else by an estimate of what was delivered;
 * nothing without output. All cases are in docs/billing.md, "Who pays when a stream breaks".
 */

import type { NewLog } from '#billing/ledger/books'
import { cost } from '#billing/pricing/cost'
import type { Price } from '#billing/pricing/price'
import type { Ticket } from '#billing/ratelimit/limits'
import { tokensIn, type Usage } from '#canonical/usage'
import type { RelayParts } from '#relay/contract/ask'
import type { Arrival, AttemptLog, Ending, Hold, ReadRequest, RequestModels } from '#relay/contract/steps'
import { endedBy } from '#relay/exchange/ended'
import { asGatewayError, GatewayError } from '#shared/errors'
import { answeringModel } from './hold.ts'
import { billedAs } from './served-as.ts'
import { logOverflowedBook, usageRow } from './usage-row.ts'

/** What a settlement needs from the earlier steps. */
export interface Settled {
  arrival: Arrival
  request: ReadRequest
  models: RequestModels
  hold: Hold
  attempts: AttemptLog
}

/** Closes a request with a hold. Exactly one of `settle`, `refuse` and `leave` is called, once. */
export interface Settlement {
  /** Resolves when the books hold the request; never rejects. */
  settle(ending: Ending): Promise<void>
  /** Settles a request that failed without output; returns the error for its caller. */
  refuse(thrown: unknown): Promise<GatewayError>
  /** The row of a request whose long-running work is settled elsewhere: the hold stays, everything else is released. */
  handOver(ending: Ending): NewLog
  /** Ends a request that was handed over. */
  leave(): void
  /**
   * Writes the request's outcome to the journal before its answer is stored elsewhere: after a crash the outcome counts if the answer was
   * stored.
   */
  foresee(ending: Ending): void
  /** Writes what to charge if the process crashes to the journal, before any code that awaits something continues. */
  note(sofar: Pick<Ending, 'tier' | 'served' | 'losses' | 'firstAt'> & { usage: Usage }): void
}

/** The error in the usage row of a request that a crash interrupted. */
export const interrupted = new GatewayError('internal_error', 'Parley stopped during this answer. What had been delivered is charged.')

/** The error in the usage row of an empty answer, which counts as complete and whose input is charged. */
const emptyAnswer = { code: 'empty_answer', message: 'The upstream ended its answer without any output. Only the input is charged.' }

/** Closes one request that has a hold; see `Settlement`. */
export const openSettlement = (parts: RelayParts, settled: Settled): Settlement => new RequestSettlement(parts, settled)

class RequestSettlement implements Settlement {
  readonly #parts: RelayParts
  readonly #settled: Settled

  constructor(parts: RelayParts, settled: Settled) {
    this.#parts = parts
    this.#settled = settled
  }

  async settle(ending: Ending): Promise<void> {
    const { books, log } = this.#parts
    const { request } = this.#settled
    this.#close(ending)
    const row = this.#rowOf(ending)
    logOverflowedBook(log, row)
    await (ending.usage ? books.settle(row) : books.release(row))
    request.ask.capture?.settled(ending.end)
    this.#leave(ending.usage ? tokensIn(ending.usage) : 0)
  }

  async refuse(thrown: unknown): Promise<GatewayError> {
    const { signal } = this.#settled.request.ask
    const error = signal.aborted ? endedBy(signal) : asGatewayError(thrown)
    const end = error.code === 'client_closed_request' ? 'aborted' : 'error'
    const nothing = { usage: undefined, served: undefined, losses: [], firstAt: undefined, streamedMs: 0 }
    await this.settle({ end, status: error.status, error, ...nothing })
    return error
  }

  handOver(ending: Ending): NewLog {
    this.#close(ending)
    return this.#rowOf(ending)
  }

  leave(): void {
    this.#settled.request.ask.capture?.settled('complete')
    this.#leave(0)
  }

  foresee(ending: Ending): void {
    this.#parts.books.progress(this.#rowOf(ending))
  }

  note(sofar: Parameters<Settlement['note']>[0]): void {
    // The upstream's figures so far are not final.
    const usage: Usage = sofar.usage.provenance === 'provider' ? { ...sofar.usage, provenance: 'partial' } : sofar.usage
    this.#parts.books.progress(this.#rowOf({ ...sofar, usage, end: 'cut', status: 200, error: interrupted, streamedMs: 0 }), 'soon')
  }

  #rowOf(ending: Ending): NewLog {
    const { arrival, request, models, attempts } = this.#settled
    const { ask, head } = request
    const { end, status, error, served, losses, firstAt } = ending
    const { price } = answeringModel(models, served?.candidate)
    const usage = ending.usage && billedAs(ending.usage, ending.tier, head, price.rates, served?.candidate)
    const facts = {
      ask,
      head,
      price,
      attempts: attempts.rows(),
      served: served?.candidate,
      losses,
      notes: served?.exchange.notes?.(),
      at: arrival.at,
      firstTokenMs: firstAt === undefined ? undefined : firstAt - arrival.tick,
      totalMs: this.#parts.clock.monotonic() - arrival.tick,
    }
    const owed = usage ? cost(usage, price.rates, ask.caller.group.ratio) : 0n
    const row = usageRow(facts, { end, status, error, usage, cost: owed })
    const isEmpty = end === 'complete' && usage?.out.total === 0 && (ask.operation === 'generate' || ask.operation === 'compact')
    return isEmpty ? { ...row, error: emptyAnswer } : row
  }

  /** Completes the row of the attempt that delivered. */
  #close({ error, streamedMs, served }: Ending): void {
    this.#settled.attempts.close(error, streamedMs)
    const { balancing } = this.#parts
    if (served && balancing?.counting) balancing.ended(served.candidate)
  }

  #leave(tokens: number): void {
    const { arrival, request, hold } = this.#settled
    leave(arrival, request.release, hold.ticket, tokens)
  }
}

/** A request that was refused before its hold. */
export interface Refused {
  request: ReadRequest | undefined
  price: Price | undefined
  ticket: Ticket | undefined
}

/** Writes the usage row of a request that was refused before the hold; returns the error for its caller. */
export async function recordRefusal(parts: RelayParts, arrival: Arrival, refused: Refused, thrown: unknown): Promise<GatewayError> {
  const error = asGatewayError(thrown)
  const { request, price, ticket } = refused
  const facts = {
    ask: arrival.ask,
    head: request?.head,
    price,
    at: arrival.at,
    served: undefined,
    losses: [],
    attempts: [],
    firstTokenMs: undefined,
    totalMs: parts.clock.monotonic() - arrival.tick,
  }
  await parts.books.record(usageRow(facts, { end: 'error', status: error.status, error, usage: undefined, cost: 0n }))
  arrival.ask.capture?.settled('error')
  leave(arrival, request?.release, ticket, 0)
  return error
}

/** Releases the request's rate limit slots. `tokens`: its total usage. */
function leave({ flight }: Arrival, release: ReadRequest['release'], ticket: Ticket | undefined, tokens: number): void {
  flight.leave()
  ticket?.done(tokens)
  release?.()
}
