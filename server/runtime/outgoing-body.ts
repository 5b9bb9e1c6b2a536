/**
 * The only place that builds an outgoing stream. The source is pulled only when the client takes bytes, so a slow reader slows the upstream
 * down; a client that disconnects closes the source. While the source is silent a heartbeat keeps the connection alive.
 */
import type { Clock, Timer } from './clock.ts'

export interface Source {
  /** Bytes available before the first `next`, taken once: they are sent in one write with the head. Absent: never any. */
  ready?(): Uint8Array | undefined
  /** The complete body, if it is already here; taken once. Absent: it never is. */
  whole?(): Uint8Array | undefined
  /** The next bytes, or undefined at the end. Must not reject. */
  next(): Promise<Uint8Array | undefined>
  /** Called before bytes are passed on, and with undefined at the end. Must not throw. */
  passed?(bytes: Uint8Array | undefined): void
  /** Called at the end: whether the body is incomplete and could not say so. The connection is then aborted. */
  broke?(): boolean
  /** The client has disconnected. Must not throw. */
  close(): void
}

export interface Heartbeat {
  bytes: Uint8Array
  everyMs: number
}

/**
 * Milliseconds without a pull before the idle limit applies: most clients pull again at once, and setting the limit each time is expensive.
 */
const turnMs = 2_000

/** Switches the idle limit, so that a client that stops reading can be cut off, and one that waits for us is not. */
export interface IdleGuard {
  suspendIdleLimit(): void
  /** `giveUp` may be called when the client has taken nothing for too long. */
  limitIdle(giveUp?: () => void): void
}

/**
 * A stream over `source` for one client. Without `heartbeat` nothing is sent during silence. A source that broke makes the stream fail,
 * which aborts the connection.
 */
export const outgoingBody = (source: Source, clock: Clock, heartbeat?: Heartbeat, idleGuard?: IdleGuard): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(new OutgoingBody(source, clock, heartbeat, idleGuard), { highWaterMark: 0 })

const encoder = new TextEncoder()

/**
 * Bytes. Bun corks the head and body of an asynchronous response only if the body is smaller; otherwise each part of the head is a write of
 * its own, some forty in all. The head of a stream is written together with its first piece.
 */
const corkedBytes = 15 * 1024

/** A whole body for a `Response`, sent in one write with the head. A large one is a stream, so it has no `content-length`. */
export function wholeBody(body: string | Uint8Array): string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  // A character of a text has at most three bytes in UTF-8.
  const mostBytes = typeof body === 'string' ? 3 * body.length : body.length
  if (mostBytes < corkedBytes || Buffer.byteLength(body) < corkedBytes) return body as string | Uint8Array<ArrayBuffer>
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes)
      controller.close()
    },
  })
}

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
  /** The idle limit applies; initially unknown. */
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

  /** Checks later whether the client pulled again. */
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
      // No heartbeats pile up for a reader that stopped reading.
      if (!this.#isWaiting) this.#lastOut = this.#clock.monotonic()
      this.#beat(controller, beats)
    })
  }
}
