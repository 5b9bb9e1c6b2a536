/** Adapts a Node socket for the HTTP client's connections: on Deno, and for tunnels, which Bun's own sockets do not support. */
import type { Socket } from 'node:net'
import type { RawSocket, SocketEvents } from './raw-socket.ts'

/** `Adopt`. */
export function overNodeSocket<Events extends SocketEvents>(socket: Socket, eventsOf: (socket: RawSocket) => Events): Events {
  const events = eventsOf({
    write(bytes) {
      if (socket.destroyed || socket.writableEnded) return -1
      // Node buffers what the kernel does not take: at its high-water mark nothing more is written.
      if (socket.writableNeedDrain) return 0
      socket.write(bytes)
      return typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    ref: () => void socket.ref(),
    unref: () => void socket.unref(),
    terminate: () => void socket.destroy(),
    get readyState() {
      return socket.destroyed || socket.readableEnded || socket.writableEnded ? 3 : 1
    },
  })
  let fault: Error | undefined
  socket.on('data', (bytes: Buffer) => events.received(bytes))
  socket.on('drain', () => events.writable())
  socket.on('error', (thrown) => {
    fault = thrown
  })
  socket.on('end', () => events.ended())
  socket.on('close', () => events.ended(fault))
  socket.resume()
  return events
}
