/** Established connections as the client uses them, whatever the runtime gives it. */
import type { Socket } from 'node:net'

/** What happens on an established connection. Bytes that are handed on belong to the receiver. */
export interface SocketEvents {
  received(bytes: Buffer): void
  /** Bytes that did not fit may be written now. Also called without need. */
  writable(): void
  /** It has ended: in good order without a fault, which comes only after everything that was received. May be called more than once. */
  ended(fault?: Error): void
}

/** An established connection. */
export interface RawSocket {
  /** How many bytes were taken; the rest must be written again when it is `writable`. Negative: it is closed. */
  write(bytes: string | Uint8Array): number
  pause(): void
  resume(): void
  ref(): void
  unref(): void
  /** Closes it at once, whatever waits. */
  terminate(): void
  /** 1: open. */
  readonly readyState: number
}

/** Hands the events of an established socket of Node's to what `eventsOf` makes of it, and resumes it where it was paused. */
export type Adopt = <Events extends SocketEvents>(socket: Socket, eventsOf: (socket: RawSocket) => Events) => Events
