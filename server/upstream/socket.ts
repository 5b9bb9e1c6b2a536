/**
 * The WebSocket client for upstreams. It uses `ws` instead of the runtime's own, because only `ws` exposes the status, headers and
 * body of a rejected upgrade. Like `http.ts` it does not redirect or retry, uses no proxy but that of the request's `route`, runs the same address check first, and connects to the
 * addresses that were checked. Start with `dial`.
 */
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { type Refusal, WebSocket } from 'ws'
import type { Clock, Timer } from '#runtime/clock'
import type { AbortSignalLike } from '#runtime/contract/abort'
import type { CheckedRoute, Route } from '#runtime/contract/route'
import { type FrameListener, type FrameSocket, fittingReason, isSendable, largestFrame } from '#runtime/contract/sockets'
import { connectRouted } from '#runtime/tunnel/connect'
import { GatewayError } from '#shared/errors'
import { rejectOnAbort } from './abort.ts'
import { type AddressCheck, hostOf } from './addresses.ts'
import { checkedRoute, routeFailure } from './route.ts'

/** A connection to open. */
export interface DialRequest {
  /** An http(s) URL, as the address check expects it; converted to ws(s). */
  url: string
  headers: Record<string, string>
  /** The route to the upstream; absent: a direct connection. */
  route?: Route
}

/** An upgrade that the upstream rejected with an HTTP answer. */
export interface RefusedDial {
  status: number
  headers: Headers
  body: string
}

/** Opens WebSocket connections. */
export interface SocketUpstream {
  /**
   * Resolves when the connection is open, or with the upstream's rejection. Frames may arrive before the caller resumes. Rejects with
   * GatewayError `upstream_error`, or with the signal's reason; the signal only applies until the connection is open.
   */
  dial(request: DialRequest, listener: FrameListener, signal: AbortSignalLike): Promise<FrameSocket | RefusedDial>
}

/** Milliseconds between pings, and of silence after which the peer counts as dead. */
const pingMs = 20_000
const deadMs = 60_000
/** Milliseconds the peer has to answer a close frame. */
const closingMs = 2_000
/** Maximum bytes read of a rejection. */
const refusalBytes = 64 * 1024

const unreachable = (cause?: unknown) =>
  new GatewayError('upstream_error', 'The upstream could not be reached, or closed the connection without an answer.', { cause })

/** Returns the checked addresses of the name: a second DNS lookup could return others. */
function checkedLookup(addresses: readonly string[] | undefined): { lookup?: LookupFunction } {
  if (addresses === undefined) return {}
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return {
    lookup(_, { all }, done) {
      const [first] = found
      if (all) done(null, found)
      else done(null, first?.address ?? '', first?.family)
    },
  }
}

/** An established connection for the upgrade. */
async function tunnel(
  url: string,
  addresses: readonly string[] | undefined,
  route: CheckedRoute,
  signal: AbortSignalLike,
): Promise<{ createConnection(): Socket }> {
  const parsed = new URL(url)
  const secure = parsed.protocol === 'https:'
  const port = parsed.port === '' ? (secure ? 443 : 80) : Number(parsed.port)
  try {
    const socket = await connectRouted({ host: hostOf(parsed), port, secure, addresses }, route, signal)
    // The upstream sends nothing before the upgrade request, so nothing is lost.
    return { createConnection: () => socket.resume() }
  } catch (thrown) {
    throw routeFailure(route, thrown, signal, false) ?? (signal.aborted ? signal.reason : unreachable())
  }
}

/** The socket client. `check` runs before every dial and rejects forbidden addresses. */
export function createSocketUpstream({ check, clock }: { check: AddressCheck; clock: Clock }): SocketUpstream {
  return {
    async dial(request, listener, signal) {
      signal.throwIfAborted()
      const checking = check(request.url)
      if (checking !== undefined) await rejectOnAbort(checking, signal)
      const addresses = check.addressesOf?.(request.url)
      const route = request.route === undefined ? undefined : await checkedRoute(check, request.route, signal)
      const socket = new WebSocket(request.url.replace(/^http/, 'ws'), {
        headers: request.headers,
        followRedirects: false,
        perMessageDeflate: false,
        maxPayload: largestFrame,
        ...(route ? await tunnel(request.url, addresses, route, signal) : checkedLookup(addresses)),
      })
      try {
        return await rejectOnAbort(connected(socket, listener, clock), signal)
      } catch (thrown) {
        socket.terminate()
        throw thrown
      }
    },
  }
}

function connected(socket: WebSocket, listener: FrameListener, clock: Clock): Promise<FrameSocket | RefusedDial> {
  const { promise, resolve, reject } = Promise.withResolvers<FrameSocket | RefusedDial>()
  const stopWatch = { stop: () => {} }
  let open = false
  socket.on('open', () => {
    open = true
    stopWatch.stop = watched(socket, clock)
    resolve(asFrameSocket(socket, listener, clock))
  })
  socket.on('unexpected-response', (_, response) => {
    refusalOf(response)
      .then(resolve, () => reject(unreachable()))
      .finally(() => socket.terminate())
  })
  socket.on('message', (data, isBinary) => {
    if (data.length > largestFrame) socket.close(1009, 'The message is too large.')
    else listener.message(isBinary ? data : data.toString('utf8'))
  })
  // The message may contain the URL; a close event always follows.
  socket.on('error', () => reject(unreachable()))
  socket.on('close', (code, reason) => {
    stopWatch.stop()
    if (open) listener.closed(code, reason.toString('utf8'))
    else reject(unreachable(code))
  })
  return promise
}

async function refusalOf(response: Refusal): Promise<RefusedDial> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(response.headers)) {
    if (typeof value === 'string') headers.set(name, value)
  }
  const decoder = new TextDecoder()
  let body = ''
  for await (const piece of response) {
    body += decoder.decode(piece, { stream: true })
    if (body.length > refusalBytes) break
  }
  return { status: response.statusCode ?? 0, headers, body }
}

/** Pings an idle connection and terminates a dead one. Returns how to stop. */
function watched(socket: WebSocket, clock: Clock): () => void {
  let lastActivity = clock.monotonic()
  let timer: Timer
  const noteActivity = () => {
    lastActivity = clock.monotonic()
  }
  const look = () => {
    // While reading is paused, we cause the silence ourselves.
    if (socket.isPaused) noteActivity()
    if (clock.monotonic() - lastActivity > deadMs) return socket.terminate()
    socket.ping()
    timer = clock.after(pingMs, look)
  }
  timer = clock.after(pingMs, look)
  socket.on('message', noteActivity)
  socket.on('pong', noteActivity)
  socket.on('ping', noteActivity)
  return () => timer.cancel()
}

function asFrameSocket(socket: WebSocket, listener: FrameListener, clock: Clock): FrameSocket {
  const alive = () => socket.readyState === 1
  return {
    send(frame) {
      if (!alive()) return false
      socket.send(frame, () => listener.drained())
      return true
    },
    buffered: () => socket.bufferedAmount,
    pause: () => void (alive() && socket.pause()),
    resume: () => void (alive() && socket.resume()),
    close(code, reason) {
      if (!alive()) return
      socket.resume()
      if (isSendable(code)) socket.close(code, fittingReason(reason))
      else socket.close()
      clock.after(closingMs, () => socket.terminate())
    },
  }
}
