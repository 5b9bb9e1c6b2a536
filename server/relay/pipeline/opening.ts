/**
 * A stream up to its first meaningful event: read, metered and held back, so that another channel can still be tried. The rest of the
 * stream is read the same way.
 */
import type { Frame } from '#canonical/codec'
import type { Exchange, Passage } from '#relay/contract/exchange'
import { cutterOf } from '#relay/exchange/splitters'
import type { Clock } from '#runtime/clock'
import { asGatewayError, GatewayError } from '#shared/errors'
import type { SseCutter } from '#shared/sse'
import type { PhaseTimer } from '#upstream/timeouts'
import type { UpstreamAnswer } from '#upstream/upstream'
import { Batch, sizeOf, type Toll } from './batch.ts'

/** Maximum bytes of meaningless frames that are held; beyond that the stream counts as begun. */
const heldBytes = 1024 * 1024

/** Bytes of an event that takes some milliseconds. */
export const heavyBytes = 1024 * 1024

const noStream = /json|html/i

function refuseWrongType(exchange: Exchange, type: string): void {
  const fits = exchange.streamsAs?.(type) ?? !noStream.test(type)
  if (!fits) throw new GatewayError('upstream_error', 'The upstream did not answer with a stream.')
}

/** Throws GatewayError when the stream fails before its first meaningful event; the answer is then cancelled. */
export async function open(exchange: Exchange, answer: UpstreamAnswer, timer: PhaseTimer, clock: Clock): Promise<Opening> {
  try {
    timer.answered()
    const type = answer.headers.get('content-type') ?? ''
    refuseWrongType(exchange, type)
    const stream = new Opening(exchange, type, answer, timer)
    await stream.begin(clock)
    return stream
  } catch (thrown) {
    answer.cancel()
    throw thrown
  }
}

/** A stream that has begun. */
export class Opening {
  readonly answer: UpstreamAnswer
  readonly timer: PhaseTimer
  readonly passage: Passage
  /** The content type of the client's stream. */
  readonly contentType: string
  /** Everything up to and including the first meaningful event; later also what `takeFirst` added. */
  readonly first = new Batch()
  /** Monotonic milliseconds at the first meaningful event. */
  firstAt = 0
  /** An event was so large that others' work should run before the next one is read. */
  isHeavy = false
  readonly #cutter: SseCutter
  /** The next event, if it was already cut. */
  #waiting: Frame | undefined
  /** Events that the end of the body produced. */
  #rest: Frame[] = []
  #isOver = false
  /** The error that broke off the body. */
  #broken: { thrown: unknown } | undefined
  /** The error that prevents reading more events. */
  #spoiled: { thrown: unknown } | undefined

  constructor(exchange: Exchange, type: string, answer: UpstreamAnswer, timer: PhaseTimer) {
    this.answer = answer
    this.timer = timer
    this.passage = exchange.passage(type)
    this.contentType = exchange.contentType?.(type) ?? 'text/event-stream; charset=utf-8'
    this.#cutter = cutterOf(exchange.splitter(type))
  }

  /** Reads up to the first meaningful event. */
  async begin(clock: Clock): Promise<void> {
    const batch = this.first
    do {
      const reading = this.more()
      if (reading) this.arrived(await reading.catch((thrown) => this.broke(thrown)))
      this.timer.works()
      batch.size = 0
      this.#take(batch, undefined)
      if (batch.error && !batch.meaningful) throw batch.error
    } while (!batch.meaningful && !batch.last && batch.length <= heldBytes)
    this.timer.begin()
    this.firstAt = clock.monotonic()
  }

  /** Reads the next piece, to be passed to `arrived`, or to `broke` if it rejects. Undefined if there is something to take. */
  more(): Promise<Uint8Array | undefined> | undefined {
    return this.#hasMore() || this.#isOver || this.#spoiled ? undefined : this.answer.read()
  }

  /** Adds a piece; undefined at the end. */
  arrived(piece: Uint8Array | undefined): void {
    this.#isOver = piece === undefined
    if (piece !== undefined) this.#cutter.feed(piece)
    else if (!this.#broken) this.#rest = this.#cutter.end()
  }

  /**
   * The next events: those that arrived together, until the toll stops them; without a toll only the first. Throws if they cannot be read.
   */
  take(toll: Toll | undefined): Batch {
    const batch = new Batch()
    this.#take(batch, toll)
    return batch
  }

  /** The held events, with those that arrived after them: events that arrived together are written together. */
  takeFirst(toll: Toll): Batch {
    const batch = this.first
    if (batch.last || batch.error || !this.#hasMore()) return batch
    try {
      this.#take(batch, toll)
    } catch (thrown) {
      // Earlier events are sent first.
      this.#spoiled = { thrown }
    }
    return batch
  }

  /**
   * Reading failed, and nothing more arrives. Rethrows the error, unless the answer had finished: it is then complete, whatever happened to
   * its connection, provided that the request was not ended from outside.
   */
  broke(thrown: unknown): undefined {
    const { aborted, reason } = this.timer.signal
    if (!this.passage.hasEndMarker || (aborted && asGatewayError(reason).code !== 'upstream_timeout')) throw thrown
    this.#broken = { thrown }
    return undefined
  }

  #hasMore(): boolean {
    this.#waiting = this.#next()
    return this.#waiting !== undefined
  }

  #next(): Frame | undefined {
    if (this.#spoiled) return undefined
    const waiting = this.#waiting
    this.#waiting = undefined
    try {
      return waiting ?? this.#cutter.next() ?? this.#rest.shift()
    } catch (thrown) {
      // Earlier events were taken, and are sent first.
      this.#spoiled = { thrown }
      return undefined
    }
  }

  #take(batch: Batch, toll: Toll | undefined): void {
    if (this.#spoiled) throw this.#spoiled.thrown
    let room = toll?.room() ?? 0
    for (;;) {
      if (toll === undefined || !this.#takeSimilar(batch, room - batch.size)) {
        const frame = this.#next()
        if (frame === undefined) break
        if (!this.#takeOne(batch, frame)) return
      }
      if (batch.size < room) continue
      if (!this.#hasMore()) break
      if (toll === undefined) return
      batch.asked = toll.passed(batch.size)
      batch.size = 0
      if (batch.asked) return
      room = toll.room()
    }
    if (!this.#isOver) return
    const end = this.passage.close()
    if (end.error && this.#broken) throw this.#broken.thrown
    batch.add(end, {})
    batch.cut = batch.error !== undefined
  }

  /** Takes the next event; false when it ends the stream. */
  #takeOne(batch: Batch, frame: Frame): boolean {
    // An event that was cut before its data would reach the client as a broken one.
    if (frame.unfinished && !frame.data) return true
    const { passage } = this
    const before = passage.textBytes?.()
    const verdict = passage.push(frame)
    if (frame.raw.length > heavyBytes) this.isHeavy = true
    batch.size += before === undefined ? frame.raw.length : sizeOf(frame.raw.length, (passage.textBytes?.() ?? 0) - before)
    return batch.add(verdict, frame)
  }

  /** Takes the next events that match an earlier one together, up to `most` bytes of text; false when there are none. */
  #takeSimilar(batch: Batch, most: number): boolean {
    const { passage } = this
    if (this.#waiting || !passage.pass) return false
    const text = this.#cutter.text()
    if (text === undefined) return false
    const passed = passage.pass(text, this.#cutter.at, most)
    if (passed === undefined) return false
    const run = this.#cutter.takeTo(passed.end)
    batch.size += passed.bytes
    batch.meaningful = true
    if (passed.out) batch.addPiece(passed.out)
    else batch.addRun(run)
    return true
  }
}

/** Reads what is left after the terminator, so that the connection can be reused; gives up after a second. */
export function retire(answer: UpstreamAnswer, clock: Clock): void {
  const limit = clock.after(1000, () => answer.cancel())
  const rest = async () => {
    while ((await answer.read()) !== undefined);
  }
  void rest()
    .catch(() => undefined)
    .finally(() => limit.cancel())
}
