/** A socket during a handshake: bytes are read in known amounts, and unexpected ones are a fault. */
import type { Socket } from 'node:net'
import { ProxyFault } from '#runtime/contract/route'

/** Maximum bytes from a proxy before the tunnel is established. */
const mostBytes = 16 * 1024

/** Reads and writes of a handshake. Everything rejects with ProxyFault when the socket ends or sends too much. */
export interface HandshakeSocket {
  write(bytes: Uint8Array | string): void
  /** Exactly the next `count` bytes. */
  take(count: number): Promise<Buffer>
  /** Everything up to and including `mark`. */
  takeUntil(mark: string): Promise<Buffer>
  /** Ends the handshake: the socket is paused, and the caller owns it. Throws when unexpected bytes were received. */
  finish(): void
}

/** Listens to the socket until `finish`. */
export function handshakeOn(socket: Socket): HandshakeSocket {
  let received: Buffer = Buffer.alloc(0)
  let ended: ProxyFault | undefined
  let wake: () => void = () => undefined

  const onData = (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
    if (received.length > mostBytes) ended = new ProxyFault('PROXY_MALFORMED', 'too long')
    wake()
  }
  const end = () => {
    ended ??= new ProxyFault('PROXY_REFUSED', 'closed')
    wake()
  }
  socket.on('data', onData)
  socket.on('end', end)
  socket.on('close', end)

  /** Takes the number of bytes that `enough` returns, once it is defined. */
  async function takeWhen(enough: () => number | undefined): Promise<Buffer> {
    for (;;) {
      const count = enough()
      if (count !== undefined) {
        const taken = received.subarray(0, count)
        received = received.subarray(count)
        return taken
      }
      if (ended !== undefined) throw ended
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  return {
    write: (bytes) => void socket.write(bytes),
    take: (count) => takeWhen(() => (received.length >= count ? count : undefined)),
    takeUntil: (mark) =>
      takeWhen(() => {
        const at = received.indexOf(mark, 0, 'latin1')
        return at < 0 ? undefined : at + mark.length
      }),
    finish() {
      socket.pause()
      socket.off('data', onData).off('end', end).off('close', end)
      // An upstream only sends when asked: these bytes are not from it.
      if (received.length > 0) throw new ProxyFault('PROXY_MALFORMED', 'more than its answer')
      if (ended !== undefined) throw ended
    },
  }
}
