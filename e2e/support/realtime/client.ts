/** A plain WebSocket client that keeps every frame, and a TLS proxy for clients that require TLS. */

import { connect as connectPlain } from 'node:net'
import { createServer } from 'node:tls'
import { selfSigned } from '#testing/upstream/self-signed'

/** One connection. */
export interface RealtimeClient {
  socket: WebSocket
  /** Every frame received so far, in order. */
  frames: (string | Uint8Array)[]
  /** The received frames that are events, parsed. */
  events(type?: string): Record<string, unknown>[]
  /** The first event of this type, now or when it arrives. */
  event(type: string): Promise<Record<string, unknown>>
  received(count: number): Promise<void>
  send(frame: object | string | Uint8Array): void
  /** How the connection ended, and the milliseconds since it was requested. */
  closed: Promise<{ code: number; reason: string }>
}

/** Resolves when the connection is open; rejects if the upgrade is refused. */
export async function realtimeClient(url: string, protocols: string[] = [], headers: Record<string, string> = {}): Promise<RealtimeClient> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'), { protocols, headers } as never)
  socket.binaryType = 'arraybuffer'
  const frames: (string | Uint8Array)[] = []
  const looks = new Set<() => void>()
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
  })
  socket.addEventListener('message', ({ data }) => {
    frames.push(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer))
    for (const look of looks) look()
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('the upgrade was refused')))
  })
  const events = (type?: string) =>
    frames.flatMap((frame) => {
      if (typeof frame !== 'string') return []
      try {
        const event = JSON.parse(frame) as Record<string, unknown>
        return type === undefined || event.type === type ? [event] : []
      } catch {
        return []
      }
    })
  const until = <T>(found: () => T | undefined): Promise<T> => {
    const waited = new Promise<T>((resolve) => {
      const look = () => {
        const value = found()
        if (value === undefined) return
        looks.delete(look)
        resolve(value)
      }
      looks.add(look)
      look()
    })
    const ended = closed.then(({ code, reason }) => found() ?? Promise.reject(new Error(`closed ${code} ${reason}`)))
    return Promise.race([waited, ended])
  }
  return {
    socket,
    frames,
    events,
    event: (type) => until(() => events(type)[0]),
    received: (count) => until(() => (frames.length >= count ? true : undefined)).then(() => undefined),
    send: (frame) =>
      socket.send(typeof frame === 'string' ? frame : frame instanceof Uint8Array ? new Uint8Array(frame) : JSON.stringify(frame)),
    closed,
  }
}

/** Terminates TLS and forwards everything to a plain port of this machine. */
export async function tlsFront(target: string): Promise<{ url: string; close(): void }> {
  const { port } = new URL(target)
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer(selfSigned('localhost'), (outside) => {
    const inside = connectPlain(Number(port), '127.0.0.1')
    for (const socket of [outside, inside]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        outside.destroy()
        inside.destroy()
      })
    }
    outside.pipe(inside)
    inside.pipe(outside)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as { port: number }).port}`,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Performs a handshake by hand; resolves to the server's answer, byte for byte, up to the end of its headers. */
export async function rawUpgrade(url: string, headers: Record<string, string>): Promise<string> {
  const { port, pathname, search } = new URL(url)
  const socket = connectPlain(Number(port), '127.0.0.1')
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n`)
  let text = ''
  for await (const piece of socket) {
    text += String(piece)
    if (text.includes('\r\n\r\n')) break
  }
  socket.destroy()
  return text.slice(0, text.indexOf('\r\n\r\n'))
}
