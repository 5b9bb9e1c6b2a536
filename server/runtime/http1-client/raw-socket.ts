/** The interface of established connections, the same on every runtime. */
import type { Socket } from 'node:net'

/** Events of an established connection. The receiver owns the bytes. */
export interface SocketEvents {
  received(bytes: Buffer): void
  /** Bytes that did not fit may be written now. Also called without need. */
  writable(): void
  /** It has ended; without a fault if it was closed in order. Called after everything received; may be called more than once. */
  ended(fault?: Error): void
}

/** An established connection. */
export interface RawSocket {
  /** Returns how many bytes were taken; the rest must be written again when it is `writable`. Negative: it is closed. */
  write(bytes: string | Uint8Array): number
  pause(): void
  resume(): void
  ref(): void
  unref(): void
  /** Closes it at once, dropping unsent data. */
  terminate(): void
  /** 1: open. */
  readonly readyState: number
}

/** Passes the events of an established Node socket to the result of `eventsOf`, and resumes it if it was paused. */
export type Adopt = <Events extends SocketEvents>(socket: Socket, eventsOf: (socket: RawSocket) => Events) => Events
