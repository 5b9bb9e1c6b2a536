/** A stream from its first meaningful event to its end, as the client pulls it. */
import type { Ending, Received } from '#relay/contract/steps'
import { clientClosed, endedBy } from '#relay/exchange/ended'
import { redacted } from '#relay/exchange/redacted'
import type { RunningCharge } from '#relay/spend/running-charge'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { Source } from '#runtime/outgoing-body'
import { nextTurn } from '#runtime/turns'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { End } from '#shared/ids'
import type { Batch } from './batch.ts'
import { heavyBytes, type Opening, retire } from './opening.ts'
import { remember } from './remember.ts'
import { chargeOf, lossesOf, owedFor, type StreamParts } from './stream-parts.ts'

/** The rest of the answer, as a source that the client pulls. */
export class Flow implements Source {
  readonly #stream: StreamParts
  readonly #sending: Promise<Received<Opening>>
  readonly #signal: AbortSignalLike
  /** The first output, if it is ready: a heartbeat, or the first events. */
  #ready: Uint8Array | undefined
  /** The first events, if it is not yet known whether they may be sent. */
  #first: Promise<Uint8Array | undefined> | undefined
  /** The upstream that answers; known before any of its output is forwarded: a client that disconnects in between still pays. */
  #arrived: Received<Opening> | undefined
  #opened: Received<Opening> | undefined
  #charge: RunningCharge | undefined
  /** The last events, sent except for their terminator. */
  #kept: Batch | undefined
  #isBroken = false
  /** The error event still to be sent after the stream was ended from outside. */
  #errorEvent: Promise<Uint8Array | undefined> | undefined
  #stage: 'opening' | 'flowing' | 'ending' | 'over' = 'opening'

  constructor(stream: StreamParts, sending: Promise<Received<Opening>>, greeting: Uint8Array | undefined) {
    this.#stream = stream
    this.#sending = sending
    this.#signal = stream.request.ask.signal
    this.#ready = greeting
    sending.then(
      (received) => {
        this.#arrived = received
        if (this.#isOver) drop(received.value)
      },
      () => undefined,
    )
    if (this.#signal.aborted) this.handleEvent()
    else this.#signal.addEventListener('abort', this, { once: true })
  }

  /** Continues with the upstream that answers. Returns a promise if the whole stream is here: it resolves once that is settled. */
  open(received: Received<Opening>): Promise<void> | undefined {
    if (this.#isOver) return undefined
    this.#opened = received
    this.#arrived ??= received
    this.#stage = 'flowing'
    const opening = received.value
    this.#charge = chargeOf(this.#stream, received)
    const batch = opening.takeFirst(this.#charge)
    const leaves = this.#deliver(opening, batch)
    opening.timer.pause()
    if (!(leaves instanceof Promise)) this.#ready = leaves
    else if (!batch.last) this.#first = leaves
    else {
      return leaves.then((bytes) => {
        this.#ready = bytes
      })
    }
    return undefined
  }

  whole(): Uint8Array | undefined {
    return this.#isOver && !this.#isBroken ? this.ready() : undefined
  }

  ready(): Uint8Array | undefined {
    const bytes = this.#ready
    this.#ready = undefined
    return bytes
  }

  next(): Promise<Uint8Array | undefined> {
    const bytes = this.ready()
    if (bytes !== undefined) return Promise.resolve(bytes)
    return this.#isOver && !this.#first ? Promise.resolve(this.#takeErrorEvent()) : this.#advance()
  }

  broke(): boolean {
    return this.#isBroken
  }

  close(): void {
    if (this.#isOver) return
    this.#stream.arrival.flight.hangUp()
    void this.#close('aborted', 499, clientClosed())
  }

  /** The client disconnected, or the request was ended: handled at once, whether or not the client is reading. */
  handleEvent(): void {
    const error = endedBy(this.#signal)
    if (error.code === 'client_closed_request') this.close()
    else if (!this.#isOver && this.#stage !== 'ending') this.#errorEvent = this.#fail(error, undefined, endOf(error))
  }

  get #isOver(): boolean {
    return this.#stage === 'over'
  }

  async #advance(): Promise<Uint8Array | undefined> {
    try {
      if (this.#opened === undefined) await this.open(await this.#sending)
      const waiting = this.#first
      this.#first = undefined
      const first = this.ready() ?? (waiting && (await waiting))
      if (first !== undefined || this.#opened === undefined || this.#isOver) return first ?? (await this.#takeErrorEvent())
      const opening = this.#opened.value
      if (this.#kept) return await this.#finish(opening, this.#kept)
      for (;;) {
        opening.timer.touch()
        if (opening.isHeavy) {
          opening.isHeavy = false
          await nextTurn()
          if (this.#isOver) return this.#takeErrorEvent()
        }
        const reading = opening.more()
        if (reading) {
          let piece: Uint8Array | undefined
          try {
            piece = await reading
          } catch (thrown) {
            opening.broke(thrown)
          }
          opening.arrived(piece)
        }
        const leaves = this.#deliver(opening, opening.take(this.#charge))
        const bytes = leaves instanceof Promise ? await leaves : leaves
        if (bytes === undefined && !this.#isOver) continue
        opening.timer.pause()
        return bytes ?? (await this.#takeErrorEvent())
      }
    } catch (thrown) {
      if (this.#signal.aborted || this.#isOver) return this.#takeErrorEvent()
      const reason = this.#opened?.value.timer.signal.reason
      return this.#fail(reason instanceof GatewayError ? reason : asGatewayError(thrown), undefined, this.#opened ? 'cut' : 'error')
    }
  }

  /** The output of a batch; undefined when there is none yet. A promise only when it has to wait. */
  #deliver(opening: Opening, batch: Batch): Uint8Array | undefined | Promise<Uint8Array | undefined> {
    if (batch.error) return this.#fail(batch.error, batch.joined(), batch.cut ? 'cut' : 'error')
    if (batch.last) {
      this.#stage = 'ending'
      // Storing the answer may take a while: only the terminator waits for it.
      if (!this.#stream.request.ask.answered || batch.length === 0) return this.#finish(opening, batch)
      this.#kept = batch
      this.#charge?.delivering()
      return batch.joined()
    }
    this.#charge?.delivering()
    const asked = batch.asked ?? this.#charge?.passed(batch.size)
    if (asked) return this.#onceAllowed(opening, batch, asked)
    return this.#isOver ? undefined : batch.joined()
  }

  async #onceAllowed({ timer }: Opening, batch: Batch, asked: NonNullable<Batch['asked']>): Promise<Uint8Array | undefined> {
    timer.pause()
    const stopped = await asked
    if (this.#isOver) return undefined
    return stopped ? this.#fail(stopped, batch.joined(), endOf(stopped)) : batch.joined()
  }

  /** Settles the stream; returns the terminator, and the last events with it if they were not sent before. */
  async #finish({ passage }: Opening, batch: Batch): Promise<Uint8Array | undefined> {
    const { parts, request } = this.#stream
    if (batch.terminator && batch.terminator.length > heavyBytes) await nextTurn()
    if (request.ask.answered && batch.terminator) await remember(parts, request, new TextDecoder().decode(batch.terminator))
    await this.#close(passage.finished(), 200, undefined)
    return batch === this.#kept ? batch.terminator : batch.whole()
  }

  /** Settles a failure and returns it in the client's dialect, after the output in `before`. */
  async #fail(thrown: GatewayError, before: Uint8Array | undefined, end: End): Promise<Uint8Array | undefined> {
    const opened = this.#opened
    const error = opened ? redacted(thrown, opened.candidate) : thrown
    const errorBytes = opened?.value.passage.failure(error) ?? this.#stream.request.writeStreamError?.(error)
    this.#isBroken = errorBytes === undefined
    await this.#close(end, 200, error)
    return errorBytes && before ? Buffer.concat([before, errorBytes]) : errorBytes
  }

  async #close(end: End, status: number, error: GatewayError | undefined): Promise<void> {
    if (this.#isOver) return
    this.#stage = 'over'
    const { parts, settlement } = this.#stream
    const arrived = this.#arrived
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
    await this.#charge?.close()
    await settlement.settle(ending)
  }

  #takeErrorEvent(): Promise<Uint8Array | undefined> | undefined {
    const errorBytes = this.#errorEvent
    this.#errorEvent = undefined
    return errorBytes
  }
}

function drop({ timer, answer }: Opening): void {
  timer.stop()
  answer.cancel()
}

/** The end of an answer that Parley itself ended. */
const endOf = (error: GatewayError): End => (error.blame === 'client' ? 'error' : 'cut')
