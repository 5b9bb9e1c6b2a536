/**
 * The only outgoing WebSocket in the house. It is `ws` and not the runtime's own, because only that one shows the status,
 * headers and body of a refused upgrade. Like `http.ts` it follows, repeats and proxies nothing, and asks the same address
 * check first. Start with `dial`.
 */
import { type Refusal, WebSocket } from 'ws'
import type { Clock, Timer } from '#runtime/clock'
import { type FrameListener, type FrameSocket, fittingReason, isSendable, largestFrame } from '#runtime/contract/sockets'
import { GatewayError } from '#shared/errors'
import { rejectOnAbort } from './abort.ts'
import type { AddressCheck } from './addresses.ts'

export interface DialRequest {
  /** https or http, as the address check knows it; the socket's own scheme is put in its place. */
  url: string
  headers: Record<string, string>
}

/** An upgrade that the upstream answered with something else. */
export interface RefusedDial {
  status: number
  headers: Headers
  body: string
}

export interface SocketUpstream {
  /**
   * Resolves when the connection stands, or with the upstream's refusal. Frames may come before the caller sees that. Rejects
   * with GatewayError `upstream_error`, or with the signal's reason; the signal ends only the dialling.
   */
  dial(request: DialRequest, listener: FrameListener, signal: AbortSignal): Promise<FrameSocket | RefusedDial>
}

/** Milliseconds: between pings, and of silence after which the other side is taken for dead. */
const pingMs = 20_000
const deadMs = 60_000
/** Milliseconds that the other side has to answer a close. */
const closingMs = 2_000
/** Bytes of a refusal that are read. */
const refusalBytes = 64 * 1024

const unreachable = (cause?: unknown) =>
  new GatewayError('upstream_error', 'The upstream could not be reached, or closed the connection without an answer.', { cause })

/** The socket client. `check` is asked before every dial and refuses addresses that no channel may reach. */
export function createSocketUpstream({ check, clock }: { check: AddressCheck; clock: Clock }): SocketUpstream {
  return {
    async dial(request, listener, signal) {
      signal.throwIfAborted()
      const checking = check(request.url)
      if (checking !== undefined) await rejectOnAbort(checking, signal)
      const socket = new WebSocket(request.url.replace(/^http/, 'ws'), {
        headers: request.headers,
        followRedirects: false,
        perMessageDeflate: false,
        maxPayload: largestFrame,
      })
      try {
        return await rejectOnAbort(standing(socket, listener, clock), signal)
      } catch (thrown) {
        socket.terminate()
        throw thrown
      }
    },
  }
}

function standing(socket: WebSocket, listener: FrameListener, clock: Clock): Promise<FrameSocket | RefusedDial> {
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
  // Its message may hold the address; what follows is always a close.
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

/** Pings a quiet connection and ends a dead one. Answers how to stop. */
function watched(socket: WebSocket, clock: Clock): () => void {
  let heardAt = clock.monotonic()
  let timer: Timer
  const heard = () => {
    heardAt = clock.monotonic()
  }
  const look = () => {
    // While we do not read, its silence is our doing.
    if (socket.isPaused) heard()
    if (clock.monotonic() - heardAt > deadMs) return socket.terminate()
    socket.ping()
    timer = clock.after(pingMs, look)
  }
  timer = clock.after(pingMs, look)
  socket.on('message', heard)
  socket.on('pong', heard)
  socket.on('ping', heard)
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
