/** A socket of Node's as connections of the HTTP client use one: for tunnels, whose inside Bun's own sockets do not have. */
import type { Socket } from 'node:net'
import type { BunSocket, SocketEvents } from './dial.ts'

/** Hands the events of an established, paused socket to what `eventsOf` makes of it. */
export function overStream<Events extends SocketEvents>(socket: Socket, eventsOf: (socket: BunSocket) => Events): Events {
  const events = eventsOf({
    write(bytes) {
      if (socket.destroyed || socket.writableEnded) return -1
      // Node keeps what the kernel does not take: at its mark nothing more is given to it.
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
