/**
 * Outgoing HTTP/1.1 over sockets and a pool of connections. It connects to addresses that were checked, refuses answers with
 * ambiguous framing, and on Bun costs less than `fetch`.
 *
 * A request is never repeated once a byte of it has been sent: the other side may have acted on it.
 */
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { HttpAnswer, HttpCall, HttpClient, PinnedCall } from '#runtime/contract/http-client'
import { malformed } from '#runtime/http1/http-fault'
import { type RequestHead, requestHeads } from '#runtime/http1/request-head'
import { connectRouted } from '#runtime/tunnel/connect'
import { decoded } from './decoded-answer.ts'
import { type Destination, dial } from './dial.ts'
import { HttpConnection } from './http-connection.ts'
import { coded, HttpExchange, type Release } from './http-exchange.ts'
import { createHttpPool } from './http-pool.ts'
import { upload } from './http-upload.ts'
import { overNodeSocket } from './node-socket.ts'
import type { Adopt, RawSocket } from './raw-socket.ts'

/** Maximum characters of a body that is written together with its head; joining larger ones costs more than a second write. */
const mostJoined = 64 * 1024
/** Number of parsed URLs that are cached. */
const mostTargets = 1000

/** A parsed URL, with the request heads prepared for it. */
interface Target extends Destination {
  origin: string
  /** Writes the heads of requests by method. */
  heads: Record<HttpCall['method'], (headers: HttpCall['headers']) => RequestHead>
}

function targetOf(url: URL, persistent: boolean): Target {
  const host = url.hostname.replace(/\.+$/, '').replace(/^\[(.*)\]$/, '$1')
  const secure = url.protocol === 'https:'
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port)
  const line = { target: `${url.pathname}${url.search}`, host: url.host }
  const headsOf = (method: HttpCall['method']) => requestHeads({ method, ...line }, persistent)
  return {
    host,
    port,
    secure,
    origin: url.origin,
    heads: { GET: headsOf('GET'), POST: headsOf('POST'), PATCH: headsOf('PATCH'), DELETE: headsOf('DELETE') },
  }
}

/** `Platform.createHttpClient`, with the runtime's socket adapter. */
export function createHttp1Client(clock: { monotonic(): number }, adopt: Adopt): HttpClient {
  const pool = createHttpPool(clock)
  const targets = new Map<string, Target>()

  function rememberedTarget(url: string): Target {
    const known = targets.get(url)
    if (known !== undefined) return known
    const target = targetOf(new URL(url), true)
    if (targets.size >= mostTargets) targets.clear()
    targets.set(url, target)
    return target
  }

  async function send(call: HttpCall): Promise<HttpAnswer> {
    call.signal.throwIfAborted()
    const target = rememberedTarget(call.url)
    const { body, signal } = call
    const head = target.heads[call.method](call.headers)
    if (typeof body === 'string' && Buffer.byteLength(body) !== head.length)
      throw malformed('The length of the request is not that of its body.')
    const origin = call.route === undefined ? target.origin : `${target.origin} ${call.route.name}`
    for (let idle = call.fresh ? undefined : pool.take(origin); idle !== undefined; idle = pool.take(origin)) {
      call.connected()
      const exchange = begin(idle, head, body, signal, pool.keep)
      if (exchange !== undefined) return decodedWhereEncoded(await exchange.answered)
    }
    const connection = await connectionTo(target, origin, call)
    call.connected()
    const exchange = begin(connection, head, body, signal, pool.keep)
    if (exchange === undefined) throw signal.aborted ? signal.reason : closedEarly()
    return decodedWhereEncoded(await exchange.answered)
  }

  async function connectionTo(target: Target, origin: string, { addresses, route, signal }: HttpCall): Promise<HttpConnection> {
    const connectionOf = (socket: RawSocket) => new HttpConnection(origin, socket, pool.forget)
    if (route === undefined) return dial(target, addresses, signal, adopt, connectionOf)
    return overNodeSocket(await connectRouted({ ...target, addresses }, route, signal), connectionOf)
  }

  return { send, sendTo: (call) => sendTo(call, adopt), close: pool.close }
}

async function sendTo({ url, address, headers, signal }: PinnedCall, adopt: Adopt): Promise<HttpAnswer> {
  // A pooled connection would be found again by its host name, and the next address would not be checked.
  const target = targetOf(url, false)
  const head = target.heads.GET(Object.entries(headers))
  const connectionOf = (socket: RawSocket) => new HttpConnection(target.origin, socket, () => undefined)
  const connection = await dial(target, [address], signal, adopt, connectionOf)
  const exchange = begin(connection, head, undefined, signal, undefined)
  if (exchange === undefined) throw signal.aborted ? signal.reason : closedEarly()
  return exchange.answered
}

const closedEarly = () => coded('ECONNRESET', 'The connection was closed before the request was sent.')

const decodedWhereEncoded = (answer: HttpAnswer) => (answer.headers.has('content-encoding') ? decoded(answer) : answer)

/** Sends a request; undefined when the connection is closed and no byte of it was sent. */
function begin(
  connection: HttpConnection,
  head: RequestHead,
  body: HttpCall['body'],
  signal: AbortSignalLike,
  release: Release | undefined,
): HttpExchange | undefined {
  if (signal.aborted || !connection.isOpen) {
    connection.close()
    return undefined
  }
  const isStreamed = typeof body === 'object'
  const exchange = new HttpExchange(connection, signal, release)
  if (!write(connection, head, isStreamed ? '' : (body ?? ''))) {
    exchange.cancel()
    // Not awaited: ignore its rejection.
    exchange.answered.catch(() => undefined)
    return undefined
  }
  if (isStreamed) void upload(body, head.length, connection, exchange)
  return exchange
}

/** False when no byte was sent. */
function write(connection: HttpConnection, { text, length }: RequestHead, body: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
  const isAscii = /^[\x00-\x7f]*$/.test(text)
  if (isAscii && body.length <= mostJoined) return connection.write(text + body, text.length + (body === '' ? 0 : length))
  if (!connection.write(isAscii ? text : Buffer.from(text, 'latin1'))) return false
  // As text: the runtime sends ASCII without a copy.
  if (body !== '') connection.write(body, length)
  return true
}
