/** WebSockets that Bun serves. */
import { type ClientListener, type FrameSocket, fittingReason, isSendable, largestFrame } from '#runtime/contract/sockets'

function asFrameSocket(socket: Bun.ServerWebSocket<ClientListener>): FrameSocket {
  let over = false
  const alive = () => !over && socket.readyState === 1
  return {
    // 0 = dropped, or an empty frame; -1 = queued.
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

/** Handles every socket; each carries its own listener as its data. */
export const socketHandler: Bun.WebSocketHandler<ClientListener> = {
  maxPayloadLength: largestFrame,
  // Above this a frame is dropped; listeners pause the other side long before.
  backpressureLimit: 4 * largestFrame,
  // Seconds. Pings are sent before that, so that only a dead connection reaches it.
  idleTimeout: 60,
  sendPings: true,
  perMessageDeflate: false,
  open: (socket) => socket.data.opened(asFrameSocket(socket)),
  message: (socket, frame) => socket.data.message(frame),
  drain: (socket) => socket.data.drained(),
  close: (socket, code, reason) => socket.data.closed(code, reason),
}
