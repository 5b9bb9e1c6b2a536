/**
 * WebSockets as the rest of the program sees them: frames in and out, whichever side opened the connection. Each runtime serves
 * them; `#upstream/socket` dials them. No frame is ever dropped silently: `buffered` and `pause` let a slow reader slow the
 * other side down.
 */

/** A text frame or a binary frame. */
export type SocketFrame = string | Uint8Array

/** One end of a WebSocket. Every call is safe after the connection has ended, and does nothing then. */
export interface FrameSocket {
  /** False: the frame was not sent, and the connection is unusable. */
  send(frame: SocketFrame): boolean
  /** Bytes sent that the kernel has not taken yet. */
  buffered(): number
  /** Stops reading, which slows the sender down; frames that were read already still arrive. */
  pause(): void
  resume(): void
  /** Closes after everything sent. A code that may not be sent (1005, 1006) closes without one. */
  close(code: number, reason: string): void
}

export interface FrameListener {
  message(frame: SocketFrame): void
  /** Some of what was buffered has been sent. */
  drained(): void
  /** Called once. 1005 = closed in order without a code, 1006 = the connection broke. */
  closed(code: number, reason: string): void
}

/** The listener for a client that is being upgraded. */
export interface ClientListener extends FrameListener {
  opened(socket: FrameSocket): void
}

/** Maximum bytes of one frame. A client may send 15 MiB of audio at once. */
export const largestFrame = 16 * 1024 * 1024

/** Whether this code may be sent in a close frame (RFC 6455, section 7.4). */
export const isSendable = (code: number) => (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || isPrivate(code)

const isPrivate = (code: number) => code >= 3000 && code <= 4999

/** The reason cut to the 123 bytes of UTF-8 that a close frame holds. */
export function fittingReason(reason: string): string {
  let text = reason.slice(0, 123)
  while (Buffer.byteLength(text) > 123) text = text.slice(0, -1)
  return text
}
