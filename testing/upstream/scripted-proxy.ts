/**
 * Forwarding proxies on 127.0.0.1, written from RFC 9110 section 9.3.6 (CONNECT), RFC 1928 (SOCKS 5) and RFC 1929 (its passwords). Every
 * tunnel leads to one given port of this machine; the requested address is recorded.
 */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'

/** How a proxy behaves. */
export interface ProxyBehaviour {
  kind: 'http' | 'https' | 'socks5'
  /** The credentials that it requires; without, none. */
  user?: string
  password?: string
  /** Its own certificate. */
  certificate?: { key: string; cert: string }
  /** Answers this instead of a tunnel to an address: an HTTP status, or the number of a SOCKS reply. */
  refuses?: (address: string) => number | undefined
  /** Never answers. */
  mute?: boolean
}

/** A running proxy. */
export interface ScriptedProxy {
  /** `http://127.0.0.1:PORT`, with its scheme and without credentials. */
  readonly url: string
  readonly port: number
  /** Every requested `address:port`, in order, IPv6 in brackets. */
  readonly asked: readonly string[]
  /** Credentials of every request, `user:password`. */
  readonly credentials: readonly (string | undefined)[]
  /** Connections accepted so far. */
  readonly accepted: number
  /** Sockets that are open now. */
  readonly open: number
  close(): Promise<void>
}

/** Starts a proxy whose tunnels all lead to `port`. */
export async function scriptedProxy(port: number, behaviour: ProxyBehaviour): Promise<ScriptedProxy> {
  const asked: string[] = []
  const credentials: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  let accepted = 0

  function serve(socket: Socket): void {
    accepted += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    if (behaviour.mute) {
      socket.resume()
      return
    }
    const take = reading(socket)
    void (behaviour.kind === 'socks5' ? serveSocks(socket, take) : serveHttp(socket, take)).catch(() => socket.destroy())
  }

  function passOn(socket: Socket, granted: Uint8Array | string): void {
    const inner = connect(port, '127.0.0.1', () => {
      socket.write(granted)
      socket.pipe(inner).pipe(socket)
    })
    sockets.add(inner)
    inner.on('error', () => socket.destroy())
    inner.on('close', () => {
      sockets.delete(inner)
      socket.destroy()
    })
    socket.on('close', () => inner.destroy())
  }

  async function serveHttp(socket: Socket, take: Take): Promise<void> {
    const head = (await take((bytes) => bytes.indexOf('\r\n\r\n') + 4 || undefined)).toString('latin1')
    const [, target = ''] = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head) ?? []
    const [, basic] = /\r\nproxy-authorization: Basic (\S+)\r\n/i.exec(head) ?? []
    const shown = basic === undefined ? undefined : Buffer.from(basic, 'base64').toString('utf8')
    credentials.push(shown)
    const wanted = behaviour.user === undefined ? undefined : `${behaviour.user}:${behaviour.password}`
    if (wanted !== undefined && shown !== wanted) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="x"\r\ncontent-length: 0\r\n\r\n')
      return
    }
    asked.push(target)
    const refused = behaviour.refuses?.(target.replace(/:\d+$/, '').replace(/^\[|\]$/g, ''))
    if (refused === undefined) passOn(socket, 'HTTP/1.1 200 Connection established\r\nvia: 1.1 scripted\r\n\r\n')
    else socket.end(`HTTP/1.1 ${refused} No\r\ncontent-length: 2\r\n\r\nno`)
  }

  async function serveSocks(socket: Socket, take: Take): Promise<void> {
    const bytes = (count: number) => take(() => count)
    const [, count = 0] = await bytes(2)
    const methods = [...(await bytes(count))]
    const method = behaviour.user === undefined ? 0 : 2
    if (!methods.includes(method)) {
      socket.end(Uint8Array.of(5, 0xff))
      return
    }
    socket.write(Uint8Array.of(5, method))
    credentials.push(method === 2 ? await signIn(socket, bytes) : undefined)
    if (method === 2 && credentials.at(-1) !== `${behaviour.user}:${behaviour.password}`) return
    const [, , , kind] = await bytes(4)
    const address = kind === 1 ? [...(await bytes(4))].join('.') : kind === 4 ? groups(await bytes(16)) : 'a name'
    const [high = 0, low = 0] = await bytes(2)
    asked.push(`${kind === 4 ? `[${address}]` : address}:${high * 256 + low}`)
    const refused = behaviour.refuses?.(address)
    const answer = Uint8Array.of(5, refused ?? 0, 0, 1, 127, 0, 0, 1, 4, 56)
    if (refused === undefined) passOn(socket, answer)
    else socket.end(answer)
  }

  async function signIn(socket: Socket, bytes: (count: number) => Promise<Buffer>): Promise<string> {
    const text = async () => (await bytes((await bytes(1))[0] ?? 0)).toString('utf8')
    await bytes(1)
    const shown = `${await text()}:${await text()}`
    const isRight = shown === `${behaviour.user}:${behaviour.password}`
    if (isRight) socket.write(Uint8Array.of(1, 0))
    else socket.end(Uint8Array.of(1, 1))
    return shown
  }

  const { certificate } = behaviour
  const server = behaviour.kind === 'https' && certificate ? createSecureServer(certificate, serve) : createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo
  return {
    url: `${behaviour.kind}://127.0.0.1:${own}`,
    port: own,
    asked,
    credentials,
    get accepted() {
      return accepted
    },
    get open() {
      return sockets.size
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

type Take = (length: (bytes: Buffer) => number | undefined) => Promise<Buffer>

/** Reads from a socket until `length` knows how many bytes are wanted and they are there; then leaves it alone. */
function reading(socket: Socket): Take {
  let kept = Buffer.alloc(0)
  return (length) =>
    new Promise((resolve, reject) => {
      const look = (bytes?: Buffer) => {
        if (bytes !== undefined) kept = Buffer.concat([kept, bytes])
        const wanted = length(kept)
        if (wanted === undefined || kept.length < wanted) return
        socket.off('data', look).off('close', end)
        socket.pause()
        const taken = kept.subarray(0, wanted)
        kept = kept.subarray(wanted)
        resolve(taken)
      }
      const end = () => reject(new Error('closed'))
      socket.on('data', look)
      socket.on('close', end)
      socket.resume()
      look()
    })
}

/** Eight groups of an IPv6 address, as `URL` writes them. */
function groups(bytes: Buffer): string {
  const parts = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16))
  return new URL(`http://[${parts.join(':')}]`).hostname.slice(1, -1)
}
