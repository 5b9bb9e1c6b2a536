/**
 * WebSockets as the house sees them: frames in and out, whichever side was called. Who serves them names the runtime's own
 * sockets here; who calls them is `#upstream/socket`. No frame is ever dropped in silence: `buffered` and `pause` let a slow
 * reader slow the other side.
 */

/** Text or bytes: each stays what it is. */
export type SocketFrame = string | Uint8Array

/** One end of a WebSocket. Every call is safe after the end and does nothing then. */
export interface FrameSocket {
  /** False: it could not be taken, and the connection is of no more use. */
  send(frame: SocketFrame): boolean
  /** Bytes sent that the network has not taken yet. */
  buffered(): number
  /** Stops reading, so that the other side feels it; what was read already still comes. */
  pause(): void
  resume(): void
  /** After everything sent. A code that may not be sent (1005, 1006) closes without one. */
  close(code: number, reason: string): void
}

export interface FrameListener {
  message(frame: SocketFrame): void
  /** Some of what was buffered is gone. */
  drained(): void
  /** Once. 1005 = closed in order without a code, 1006 = the connection broke. */
  closed(code: number, reason: string): void
}

/** What a door gives for a client that is being upgraded. */
export interface ClientListener extends FrameListener {
  opened(socket: FrameSocket): void
}

/** Bytes of one frame. Audio that a client may send at once is 15 MiB. */
export const largestFrame = 16 * 1024 * 1024

/** May this code stand in a close frame (RFC 6455 section 7.4)? */
export const isSendable = (code: number) => (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || isPrivate(code)

const isPrivate = (code: number) => code >= 3000 && code <= 4999

/** At most 123 bytes of UTF-8, as a close frame holds. */
export function fittingReason(reason: string): string {
  let text = reason.slice(0, 123)
  while (Buffer.byteLength(text) > 123) text = text.slice(0, -1)
  return text
}

function asFrameSocket(socket: Bun.ServerWebSocket<ClientListener>): FrameSocket {
  let over = false
  const alive = () => !over && socket.readyState === 1
  return {
    // 0 = dropped, or nothing but a head to send; -1 = queued.
    send: (frame) => alive() && (socket.send(frame) !== 0 || frame.length === 0),
    buffered: () => (alive() ? socket.getBufferedAmount() : 0),
    pause: () => void (alive() && socket.pause()),
    resume: () => void (alive() && socket.resume()),
    close(code, reason) {
      if (!alive()) return
      over = true
      // A paused socket would never read the answer to its close.
      socket.resume()
      if (isSendable(code)) socket.close(code, fittingReason(reason))
      else socket.close()
    },
  }
}

/** The server's side of all sockets; each carries its own listener. */
export const socketHandler: Bun.WebSocketHandler<ClientListener> = {
  maxPayloadLength: largestFrame,
  // Above this a frame is dropped; listeners pause the other side long before.
  backpressureLimit: 4 * largestFrame,
  // Seconds. Pings go out before it is over, so that only a dead connection meets it.
  idleTimeout: 60,
  sendPings: true,
  perMessageDeflate: false,
  open: (socket) => socket.data.opened(asFrameSocket(socket)),
  message: (socket, frame) => socket.data.message(frame),
  drain: (socket) => socket.data.drained(),
  close: (socket, code, reason) => socket.data.closed(code, reason),
}
