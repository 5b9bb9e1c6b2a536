/**
 * Responses over a WebSocket: each `response.create` is the request that the same body would be at `POST /v1/responses`, streamed, with
 * its own admission, money and row; its events are sent as frames, one response after the other. With `store: false` the last response is
 * kept in memory for the connection's next turn. Read: https://developers.openai.com/api/docs/guides/websocket-mode
 */
import { offeredProtocols, readCredential } from '#http/request/credentials'
import { captured, errorResponse } from '#http/request/respond'
import type { Visit } from '#http/request/route'
import { conversationCodecs, responseTurns } from '#protocols/index'
import { light } from '#relay/contract/large-body'
import { newRequestId, type Random } from '#runtime/clock'
import type { ClientListener, FrameSocket, SocketFrame } from '#runtime/contract/sockets'
import { asGatewayError, GatewayError } from '#shared/errors'
import { isObject, type JsonObject } from '#shared/json'
import { createSseSplitter } from '#shared/sse'
import type { OpenSockets } from './open-sockets.ts'
import type { StoredResponseServices } from './openai.ts'
import { admit, generate } from './relay-route.ts'

/** What these connections need from the program. */
export interface ResponseSocketServices extends StoredResponseServices {
  random: Pick<Random, 'base62'>
  responseSockets: OpenSockets
}

/** Longest connection in milliseconds, the same as the vendor's. */
const longest = 3_600_000
/** Most waiting turns, and most bytes buffered for a slow reader. */
const mostWaiting = 8
const highWater = 1024 * 1024
/** Most characters kept for the next turn. */
const mostRemembered = 4 * 1024 * 1024

const restarting = () => new GatewayError('overloaded', 'Parley is shutting down. Connect again shortly.', { retryAfter: 5 })
const tooLong = () =>
  new GatewayError(
    'request_too_large',
    `A frame may have at most ${light.bytes} bytes. Send larger requests by POST, or continue by previous_response_id.`,
  )

/** A response that only this connection has, with everything before it. */
interface Chain {
  id: string
  /** The text within their list. */
  items: string
}

/** 16 bytes in base64 (RFC 6455 section 4.1). */
const keyPattern = /^[A-Za-z0-9+/]{22}==$/
const keyProtocol = 'openai-insecure-api-key.'
const ofTheHandshake = /^(?:sec-websocket-.*|connection|upgrade|content-.*|x-api-key|x-third-api-key|x-goog-api-key|api-key)$/

/** The client's headers for each of its requests, with its key in one place. */
function headersFrom({ request, url, addressed }: Visit): Headers {
  const headers = new Headers([...request.headers].filter(([name]) => !ofTheHandshake.test(name)))
  headers.set('authorization', `Bearer ${readCredential(request.headers, url.searchParams, addressed?.keyHeader)}`)
  headers.set('content-type', 'application/json')
  return headers
}

/** By default the first subprotocol would be selected, and it may contain the key. */
function selection(request: Request): Record<string, string> {
  const offered = offeredProtocols(request.headers)
  const chosen = offered.find((name) => !name.startsWith(keyProtocol))
  if (offered.length > 0 && chosen === undefined) {
    throw new GatewayError('invalid_value', 'Offer a subprotocol in addition to the key.', { param: 'Sec-WebSocket-Protocol' })
  }
  return chosen === undefined ? {} : { 'sec-websocket-protocol': chosen }
}

/** Opens a connection. Throws GatewayError for a handshake that is refused. */
export function openResponseSocket(services: ResponseSocketServices, visit: Visit): Response {
  const { request } = visit
  admit(services, visit)
  if (!keyPattern.test(request.headers.get('sec-websocket-key') ?? '')) {
    throw new GatewayError('invalid_value', 'Sec-WebSocket-Key must be 16 bytes in base64.', { param: 'Sec-WebSocket-Key' })
  }
  const headers = { 'x-request-id': visit.requestId, 'request-id': visit.requestId, ...selection(request) }
  visit.upgrade?.(sessionFor(services, visit), headers)
  // Ignored after an upgrade; without one the client has already left.
  return new Response(null, { status: 400 })
}

function sessionFor(services: ResponseSocketServices, visit: Visit): ClientListener {
  const { clock, random } = services
  const headers = headersFrom(visit)
  // Read now: after the upgrade the runtime may no longer know it.
  const { clientAddress } = visit
  const url = new URL('/v1/responses', visit.url)
  const waiting: string[] = []
  let socket: FrameSocket | undefined
  let running: AbortController | undefined
  let chain: Chain | undefined
  /** The client's name of the running turn, repeated in its events. */
  let lane: string | undefined
  let isOver = false
  let isDraining = false
  let tookMore: (() => void) | undefined
  const limit = clock.after(longest, () => {
    sendError({
      status: 400,
      error: { ...plain, code: 'websocket_connection_limit_reached', message: 'A connection lasts an hour. Open a new one.' },
    })
    end(1000, 'an hour has passed')
  })
  const leave = services.responseSockets.add({ drain })

  function end(code: number, reason: string): void {
    socket?.close(code, reason)
    ended()
  }

  function ended(): void {
    isOver = true
    waiting.length = 0
    limit.cancel()
    leave()
    running?.abort()
    tookMore?.()
  }

  function drain(): void {
    isDraining = true
    if (!running) end(1012, 'restart')
  }

  const sendError = (fields: object) => void socket?.send(laned(JSON.stringify({ type: 'error', ...fields })))

  const laned = (json: string) => (lane === undefined ? json : `{"stream_id":${JSON.stringify(lane)},${json.slice(1)}`)

  async function send(json: string): Promise<void> {
    if (!socket?.send(laned(json))) return ended()
    while (!isOver && socket.buffered() > highWater) await new Promise<void>((resolve) => (tookMore = resolve))
  }

  async function run(): Promise<void> {
    while (!isOver && !running) {
      const frame = waiting.shift()
      if (frame === undefined) return isDraining ? end(1012, 'restart') : undefined
      running = new AbortController()
      const request = new Request(url, { method: 'POST', headers })
      const turn: Visit = { request, url, params: {}, requestId: newRequestId(services), clientAddress }
      try {
        await answer(turn, frame, running.signal)
      } catch (thrown) {
        chain = undefined
        if (!isOver) await refuse(turn, thrown)
      }
      running = undefined
      lane = undefined
    }
  }

  async function refuse(turn: Visit, thrown: unknown): Promise<void> {
    const error = asGatewayError(thrown)
    const written = errorResponse(error, 'chat', turn.requestId)
    const response = turn.capture ? await captured(turn.capture, written) : written
    const answered = (await response.json()) as { error: object }
    const isLost = error.status === 404 && error.param === 'previous_response_id'
    if (isLost) sendError({ status: 400, error: { ...answered.error, code: 'previous_response_not_found' } })
    else sendError({ status: error.status, error: answered.error })
  }

  async function answer(turn: Visit, frame: string, signal: AbortSignal): Promise<void> {
    if (isDraining) throw restarting()
    const body = conversationCodecs.responses.scan(frame).value
    const { type, generate: isAsked, stream_id: named } = body
    lane = typeof named === 'string' ? named : undefined
    if (type !== 'response.create') throw new GatewayError('invalid_value', 'Send `response.create`.', { param: 'type' })
    const before = chain && body.previous_response_id === chain.id ? chain.items : undefined
    const text = requestOfTurn(frame, before)
    const input = inputOfTurn(text)
    if (isAsked === false) return warmed(turn, body, before === undefined, input)
    turn.request = new Request(url, { method: 'POST', headers, body: text, signal })
    const { body: events } = await generate({ ...services, relay: services.keeping }, turn, { dialect: 'responses' })
    const last = await passed(events)
    chain = body.store === false && last ? remembered(last.id, joinItems(input, last.items)) : undefined
  }

  /** Forwards the events; resolves to the response of the last one, if it is complete. */
  async function passed(events: ReadableStream<Uint8Array> | null): Promise<Chain | undefined> {
    const splitter = createSseSplitter({ maxFrameBytes: Number.POSITIVE_INFINITY })
    let last: string | undefined
    for await (const bytes of events ?? []) {
      for (const { event, data } of splitter.push(bytes)) {
        if (data === undefined || data === '' || data === '[DONE]') continue
        if (event === 'response.completed' || event === 'response.incomplete') last = data
        await send(data)
        if (isOver) return undefined
      }
    }
    const answered: unknown = last === undefined ? undefined : JSON.parse(last)
    const response = isObject(answered) ? answered.response : undefined
    if (last === undefined || !isObject(response) || !Array.isArray(response.output)) return undefined
    return { id: String(response.id), items: outputOfTurn(last) }
  }

  const remembered = (id: string, items: string): Chain | undefined => (items.length <= mostRemembered ? { id, items } : undefined)

  /** Items sent ahead: no model is called, and the next turn may continue them. */
  async function warmed(turn: Visit, body: JsonObject, isFirst: boolean, items: string): Promise<void> {
    admit(services, { ...turn, addressed: undefined })
    if (isFirst && body.previous_response_id !== undefined)
      throw new GatewayError('unsupported_value', 'With `generate: false` a turn cannot continue a stored response.', {
        param: 'generate',
      })
    const id = `resp_${random.base62(48)}`
    const response = { id, object: 'response', created_at: Math.floor(clock.now() / 1000), model: body.model, output: [], error: null }
    await send(JSON.stringify({ type: 'response.created', sequence_number: 0, response: { ...response, status: 'in_progress' } }))
    await send(
      JSON.stringify({ type: 'response.completed', sequence_number: 1, response: { ...response, status: 'completed', usage: null } }),
    )
    chain = { id, items }
  }

  return {
    opened(opened) {
      socket = opened
      if (isDraining) drain()
    },
    message(frame: SocketFrame) {
      if (isOver) return
      const error = faultOf(frame, waiting.length)
      if (error) return sendError({ status: error.status, error: { ...plain, code: error.publicCode, message: error.message } })
      waiting.push(String(frame))
      void run()
    },
    drained() {
      tookMore?.()
    },
    closed: ended,
  }
}

const { inputOfTurn, joinItems, outputOfTurn, requestOfTurn } = responseTurns

const plain = { type: 'invalid_request_error', param: null }

function faultOf(frame: SocketFrame, waiting: number): GatewayError | undefined {
  if (typeof frame !== 'string') return new GatewayError('invalid_value', 'Send text frames.')
  if (frame.length > light.bytes) return tooLong()
  return waiting >= mostWaiting
    ? new GatewayError('rate_limit_exceeded', `At most ${mostWaiting} turns may wait. Send the next one after a response.`)
    : undefined
}
