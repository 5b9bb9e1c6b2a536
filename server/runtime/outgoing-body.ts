/**
 * The only place that builds an outgoing stream. The source is pulled only when the client takes bytes, so a slow reader slows
 * the upstream down; a client that leaves closes the source. While the source is silent a heartbeat keeps the connection alive.
 */
import type { Clock, Timer } from './clock.ts'

export interface Source {
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
export function outgoingBody(source: Source, clock: Clock, heartbeat?: Heartbeat, idleGuard?: IdleGuard): ReadableStream<Uint8Array> {
  let timer: Timer | undefined
  let waiting = false
  let lastOut = clock.monotonic()
  let over = false

  function finish(): void {
    over = true
    timer?.cancel()
  }

  function beat(controller: ReadableStreamDefaultController<Uint8Array>, beats: Heartbeat): void {
    timer = clock.after(Math.max(1, lastOut + beats.everyMs - clock.monotonic()), () => {
      if (over) return
      if (waiting && clock.monotonic() - lastOut >= beats.everyMs - 1) {
        lastOut = clock.monotonic()
        controller.enqueue(beats.bytes)
      }
      // A reader that takes nothing gets no heartbeat piled up for it.
      if (!waiting) lastOut = clock.monotonic()
      beat(controller, beats)
    })
  }

  let giveUp: (() => void) | undefined

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        giveUp = () => {
          if (over) return
          finish()
          source.close()
          controller.error(new Error('the client takes nothing'))
        }
        if (heartbeat) beat(controller, heartbeat)
      },
      async pull(controller) {
        waiting = true
        idleGuard?.suspendIdleLimit()
        const bytes = await source.next()
        waiting = false
        if (over) return
        source.passed?.(bytes)
        idleGuard?.limitIdle(giveUp)
        if (bytes === undefined) {
          finish()
          if (source.broke?.()) controller.error(new Error('the answer broke off'))
          else controller.close()
          return
        }
        lastOut = clock.monotonic()
        controller.enqueue(bytes)
      },
      cancel() {
        finish()
        source.close()
      },
    },
    { highWaterMark: 0 },
  )
}
