/**
 * The only place that builds an outgoing stream. The source is pulled only when the client takes bytes, so a slow reader slows
 * the upstream down; a client that leaves closes the source. While the source is silent a heartbeat keeps the connection alive.
 */
import type { Clock, Timer } from './clock.ts'

export interface Source {
  /** What is there before the first `next`, taken once: it leaves in one write with the head. Absent: nothing ever is. */
  ready?(): Uint8Array | undefined
  /** The next bytes, or undefined at the end. Must not reject. */
  next(): Promise<Uint8Array | undefined>
  /** Told what is handed on, before it is; undefined: that was all. Must not throw. */
  passed?(bytes: Uint8Array | undefined): void
  /** Asked at the end: whether it ended before it was complete, with no way to say so. The connection is then broken off. */
  broke?(): boolean
  /** The client is gone. Must not throw. */
  close(): void
}

export interface Heartbeat {
  bytes: Uint8Array
  everyMs: number
}

/** Milliseconds after which a client that has not come for more has the next turn: most come at once, and telling each of them is dear. */
const turnMs = 2_000

/** Told whose turn it is, so that a client that reads nothing can be cut off and one that waits for us is not. */
export interface IdleGuard {
  suspendIdleLimit(): void
  /** `giveUp` may be called when the client has taken nothing for too long. */
  limitIdle(giveUp?: () => void): void
}

/**
 * A stream over `source` for one client. Without `heartbeat` silence stays silent; `idleGuard` hears whose turn it is. A source that
 * broke makes the stream fail, which breaks the connection off.
 */
export const outgoingBody = (source: Source, clock: Clock, heartbeat?: Heartbeat, idleGuard?: IdleGuard): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(new OutgoingBody(source, clock, heartbeat, idleGuard), { highWaterMark: 0 })

type Controller = ReadableStreamDefaultController<Uint8Array>

class OutgoingBody implements UnderlyingDefaultSource<Uint8Array> {
  readonly #source: Source
  readonly #clock: Clock
  readonly #heartbeat: Heartbeat | undefined
  readonly #idleGuard: IdleGuard | undefined
  #timer: Timer | undefined
  #idleTimer: Timer | undefined
  #giveUp: (() => void) | undefined
  #isWaiting = false
  /** The idle limit applies; at first nobody knows. */
  #isLimited = true
  #lastOut: number
  #isOver = false

  constructor(source: Source, clock: Clock, heartbeat: Heartbeat | undefined, idleGuard: IdleGuard | undefined) {
    this.#source = source
    this.#clock = clock
    this.#heartbeat = heartbeat
    this.#idleGuard = idleGuard
    this.#lastOut = clock.monotonic()
  }

  start(controller: Controller): void {
    this.#giveUp = () => {
      if (this.#isOver) return
      this.cancel()
      controller.error(new Error('the client takes nothing'))
    }
    if (this.#heartbeat) this.#beat(controller, this.#heartbeat)
    const bytes = this.#source.ready?.()
    if (bytes === undefined) return
    this.#source.passed?.(bytes)
    this.#give(controller, bytes)
  }

  async pull(controller: Controller): Promise<void> {
    this.#isWaiting = true
    if (this.#isLimited) this.#suspendIdleLimit()
    const bytes = await this.#source.next()
    this.#isWaiting = false
    if (this.#isOver) return
    this.#source.passed?.(bytes)
    if (bytes === undefined) {
      this.#limitIdle()
      this.#finish()
      if (this.#source.broke?.()) controller.error(new Error('the answer broke off'))
      else controller.close()
      return
    }
    this.#give(controller, bytes)
  }

  #give(controller: Controller, bytes: Uint8Array): void {
    this.#lastOut = this.#clock.monotonic()
    if (this.#idleTimer === undefined && this.#idleGuard) this.#watchIdle()
    controller.enqueue(bytes)
  }

  cancel(): void {
    this.#finish()
    this.#source.close()
  }

  #finish(): void {
    this.#isOver = true
    this.#timer?.cancel()
    this.#idleTimer?.cancel()
  }

  #suspendIdleLimit(): void {
    this.#isLimited = false
    this.#idleGuard?.suspendIdleLimit()
  }

  #limitIdle(): void {
    this.#isLimited = true
    this.#idleGuard?.limitIdle(this.#giveUp)
  }

  /** Looks later whether the client came for more. */
  #watchIdle(): void {
    this.#idleTimer = this.#clock.after(turnMs, () => {
      this.#idleTimer = undefined
      if (!this.#isOver && !this.#isWaiting) this.#limitIdle()
    })
  }

  #beat(controller: Controller, beats: Heartbeat): void {
    this.#timer = this.#clock.after(Math.max(1, this.#lastOut + beats.everyMs - this.#clock.monotonic()), () => {
      if (this.#isOver) return
      if (this.#isWaiting && this.#clock.monotonic() - this.#lastOut >= beats.everyMs - 1) {
        this.#lastOut = this.#clock.monotonic()
        controller.enqueue(beats.bytes)
      }
      // A reader that takes nothing gets no heartbeat piled up for it.
      if (!this.#isWaiting) this.#lastOut = this.#clock.monotonic()
      this.#beat(controller, beats)
    })
  }
}
