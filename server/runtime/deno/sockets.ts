/** WebSockets that Deno serves. It can neither pause a socket nor tell when one has drained: both are emulated here. */
import { type ClientListener, type FrameSocket, fittingReason, isSendable, largestFrame, type SocketFrame } from '#runtime/contract/sockets'

/** Seconds. Pings are sent before that, so that only a dead connection reaches it. */
const idleSeconds = 60
/** Maximum bytes of received frames that are held while the socket is paused; a client that sends more is disconnected. */
const mostHeld = 4 * largestFrame
/** Milliseconds between checks of the buffered amount. */
const drainLookMs = 10

/** The response that makes the request a WebSocket, or undefined when that is not possible. */
export function upgrade(request: Request, listener: ClientListener, headers: Record<string, string>): Response | undefined {
  try {
    const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: idleSeconds })
    // Not by Deno's own option for the subprotocol, which only parses lists with a space after each comma.
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
    serve(socket, listener)
    return response
  } catch {
    return undefined
  }
}

function serve(socket: WebSocket, listener: ClientListener): void {
  let paused = false
  let over = false
  let watching = false
  let broke = false
  let closing: { code: number; reason: string } | undefined
  const held: SocketFrame[] = []
  let heldBytes = 0
  const alive = () => !over && socket.readyState === 1

  function end(code: number, reason: string): void {
    over = true
    if (isSendable(code)) socket.close(code, fittingReason(reason))
    else socket.close()
  }

  function watchDrain(): void {
    if (watching || socket.bufferedAmount === 0) return
    watching = true
    const before = socket.bufferedAmount
    setTimeout(() => {
      watching = false
      if (!alive()) return
      if (socket.bufferedAmount < before) listener.drained()
      watchDrain()
    }, drainLookMs)
  }

  /** Delivers held frames until the listener pauses again. */
  function release(): void {
    while (!paused) {
      const frame = held.shift()
      if (frame === undefined) break
      heldBytes -= frame.length
      listener.message(frame)
    }
    if (closing !== undefined && !paused) listener.closed(closing.code, closing.reason)
  }

  const frames: FrameSocket = {
    send(frame) {
      if (!alive()) return false
      socket.send(frame as string | Uint8Array<ArrayBuffer>)
      watchDrain()
      return true
    },
    buffered: () => (alive() ? socket.bufferedAmount : 0),
    pause() {
      paused = alive()
    },
    resume() {
      if (!paused) return
      paused = false
      release()
    },
    close(code, reason) {
      if (alive()) end(code, reason)
    },
  }

  socket.binaryType = 'arraybuffer'
  socket.onopen = () => listener.opened(frames)
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    const frame = typeof data === 'string' ? data : new Uint8Array(data)
    if (frame.length > largestFrame) return end(1009, 'The message is too large.')
    if (!paused) return listener.message(frame)
    heldBytes += frame.length
    if (heldBytes > mostHeld) return end(1008, 'Too much was sent without waiting.')
    held.push(frame)
  }
  // A close event always follows, which does not tell that the connection broke.
  socket.onerror = () => {
    broke = true
  }
  socket.onclose = ({ code, reason }) => {
    over = true
    paused = false
    closing = broke ? { code: 1006, reason: '' } : { code, reason }
    release()
  }
}
