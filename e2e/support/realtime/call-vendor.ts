/**
 * A scripted upstream that holds calls over WebRTC and SIP, over real TCP: written from OpenAI's guides (WebRTC, SIP, server-side controls) and
 * its API reference. It opens a call for an offer, accepts sideband WebSockets (`?call_id=`) that receive everything, and ends it for all.
 */

import { responseEvents, sessionCreated } from '#testing/vendors/realtime-vendor'

/** What was asked of it over HTTP. */
export interface AskedOfCalls {
  method: string
  target: string
  headers: Headers
  body: string
}

/** A call. */
export interface HeldCall {
  id: string
  /** Of the offer; empty for a call that came in. */
  sdp: string
  session: Record<string, unknown>
  isLive(): boolean
  /** How many WebSockets are beside it. */
  listeners(): number
  /** Resolves once there are so many. */
  heardBy(count: number): Promise<void>
  /** Events that came over these WebSockets. */
  heard: readonly Record<string, unknown>[]
  /** Notifies every sideband WebSocket. */
  say(...events: object[]): void
  /** A whole response with these figures. */
  respond(text: string, usage?: object | null): void
  /** Its client hangs up. */
  end(): void
  /** The sideband connections break; the call continues. */
  cut(): void
}

/** A running upstream. */
export interface CallVendor {
  /** `http://127.0.0.1:PORT` */
  url: string
  asked: readonly AskedOfCalls[]
  calls: readonly HeldCall[]
  /** A call comes in over SIP, which only this upstream's webhook reports. */
  incoming(): string
  /** The next `times` requests whose target fits are answered with this status instead. */
  instead(fits: (target: string) => boolean, times: number, status: number): void
  close(): void
}

interface Data {
  call: Line
}
type Socket = Bun.ServerWebSocket<Data>

interface Line {
  call: HeldCall
  sockets: Set<Socket>
  heard: Record<string, unknown>[]
  looks: Set<() => void>
  live: boolean
}

const notFound = () =>
  Response.json(
    { error: { message: 'No call was found for this id.', type: 'invalid_request_error', code: 'call_id_not_found' } },
    { status: 404 },
  )

/** Starts one. Close it in `afterAll`. */
export function callVendor(): CallVendor {
  const asked: AskedOfCalls[] = []
  const lines = new Map<string, Line>()
  const calls: HeldCall[] = []
  const waiting = new Set<string>()
  const instead: { fits(target: string): boolean; status: number }[] = []
  let number = 0

  function newLine(id: string, sdp: string, session: Record<string, unknown>): Line {
    const heard: Record<string, unknown>[] = []
    const line: Line = { sockets: new Set(), heard, looks: new Set(), live: true, call: undefined as never }
    line.call = {
      ...{ id, sdp, session, heard, isLive: () => line.live, listeners: () => line.sockets.size },
      heardBy: (count) =>
        new Promise((resolve) => {
          const look = () => {
            if (line.sockets.size < count) return
            line.looks.delete(look)
            resolve()
          }
          line.looks.add(look)
          look()
        }),
      say(...events) {
        for (const event of events) for (const socket of line.sockets) socket.send(JSON.stringify(event))
      },
      respond: (text, usage) => line.call.say(...responseEvents(text, ...(usage === undefined ? [] : [usage]))),
      end() {
        line.live = false
        for (const socket of line.sockets) socket.close(1000, '')
      },
      cut() {
        for (const socket of line.sockets) socket.terminate()
      },
    }
    lines.set(id, line)
    calls.push(line.call)
    return line
  }

  async function open(request: Request, body: string): Promise<Response> {
    const form = await new Response(body, { headers: { 'content-type': request.headers.get('content-type') ?? '' } }).formData()
    const session = JSON.parse(String(form.get('session'))) as Record<string, unknown>
    const sdp = String(form.get('sdp'))
    if (!sdp.startsWith('v=0')) {
      return Response.json(
        { error: { message: 'The SDP offer is malformed.', type: 'invalid_request_error', code: 'invalid_sdp' } },
        { status: 400 },
      )
    }
    const { call } = newLine(`rtc_up${++number}`, sdp, session)
    const headers = { 'content-type': 'application/sdp', location: `/v1/realtime/calls/${call.id}` }
    return new Response(`v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=answer to ${call.id}\r\n`, { status: 201, headers })
  }

  function act(id: string, action: string, body: string): Response {
    if (action === 'accept' || action === 'reject') {
      if (!waiting.delete(id)) return notFound()
      if (action === 'accept') newLine(id, '', JSON.parse(body) as Record<string, unknown>)
      return new Response(null, { status: 200 })
    }
    const line = lines.get(id)
    if (!line?.live) return notFound()
    if (action === 'hangup') line.call.end()
    return new Response(null, { status: 200 })
  }

  const server = Bun.serve<Data>({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request, bun) {
      const { pathname, search, searchParams } = new URL(request.url)
      const id = searchParams.get('call_id')
      const body = request.method === 'POST' ? await request.text() : ''
      asked.push({ method: request.method, target: pathname + search, headers: new Headers(request.headers), body })
      const scripted = instead.findIndex(({ fits }) => fits(pathname + search))
      const [refusal] = scripted < 0 ? [] : instead.splice(scripted, 1)
      if (refusal) return Response.json({ error: { message: 'Not now.', type: 'server_error' } }, { status: refusal.status })
      if (pathname === '/v1/realtime' && id !== null) {
        const line = lines.get(id)
        if (!line?.live) return notFound()
        return bun.upgrade(request, { data: { call: line } }) ? undefined : new Response(null, { status: 400 })
      }
      if (pathname === '/v1/realtime/calls' && request.method === 'POST') return open(request, body)
      const [, named, action] = /^\/v1\/realtime\/calls\/([^/]+)\/(accept|reject|refer|hangup)$/.exec(pathname) ?? []
      return named !== undefined && action !== undefined ? act(named, action, body) : notFound()
    },
    websocket: {
      open(socket) {
        const { call: line } = socket.data
        line.sockets.add(socket)
        socket.send(JSON.stringify(sessionCreated))
        for (const look of [...line.looks]) look()
      },
      message(socket, frame) {
        socket.data.call.heard.push(JSON.parse(String(frame)) as Record<string, unknown>)
      },
      close: (socket) => void socket.data.call.sockets.delete(socket),
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    calls,
    incoming() {
      const id = `rtc_sip${++number}`
      waiting.add(id)
      return id
    },
    instead: (fits, times, status) => void instead.push(...Array.from({ length: times }, () => ({ fits, status }))),
    close: () => void server.stop(true),
  }
}
