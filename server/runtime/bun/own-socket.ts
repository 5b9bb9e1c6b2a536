/** Uses Bun's own socket beneath a `node:net` socket: its handlers cost a fraction of Node's streams, which cost more than `fetch`. */
import type { Socket } from 'node:net'
import type { RawSocket, SocketEvents } from '#runtime/http1-client/raw-socket'

interface Adoptable extends RawSocket {
  data: SocketEvents
  reload(options: { socket: typeof handlers }): void
}

type Owned = { data: SocketEvents }

const handlers = {
  data: (socket: Owned, bytes: Buffer) => socket.data.received(bytes),
  drain: (socket: Owned) => socket.data.writable(),
  end: (socket: Owned) => socket.data.ended(),
  close: (socket: Owned, fault?: Error) => socket.data.ended(fault),
  error: (socket: Owned, fault: Error) => socket.data.ended(fault),
}

/** `Adopt`: Node's socket is then only a shell. Throws on a Bun without such a socket. */
export function overOwnSocket<Events extends SocketEvents>(socket: Socket, eventsOf: (socket: RawSocket) => Events): Events {
  const { _handle: handle } = socket as unknown as { _handle?: Partial<Adoptable> }
  if (typeof handle?.reload !== 'function') throw new Error('This version of Bun has no native socket beneath node:net.')
  const adopted = handle as Adoptable
  const events = eventsOf(adopted)
  adopted.data = events
  adopted.reload({ socket: handlers })
  return events
}
