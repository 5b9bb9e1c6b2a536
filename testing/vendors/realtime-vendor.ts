/**
 * A scripted realtime upstream over real TCP: it records every upgrade, may refuse it, and sends and reads frames at the pace that a test
 * sets. The answers of `conversing` are written from the protocol's public description.
 */

/** A text or binary message. */
export type Frame = string | Uint8Array

/** One connection. */
export interface RealtimeCall {
  /** Path, query and headers of the upgrade. */
  target: string
  headers: Headers
  /** Every frame received so far, in order. */
  frames: readonly Frame[]
  /** The received frames that are events of this type. */
  events(type: string): Record<string, unknown>[]
  /** Resolves when this many frames have been received. */
  received(count: number): Promise<void>
  /** Sends a frame; objects are sent as JSON. Resolves when the network can take more. */
  send(frame: object | Frame): Promise<void>
  /** Stops and resumes reading. */
  pause(): void
  resume(): void
  close(code?: number, reason?: string): void
  /** Ends the connection without a close frame. */
  cut(): void
  /** How the connection ended. */
  closed: Promise<{ code: number; reason: string }>
}

/** A refusal of an upgrade. */
export interface RefuseUpgrade {
  refuse: number
  headers?: Record<string, string>
  body?: object
}

/** Handles one upgrade: refuses it, or uses the connection. */
export type RealtimeScript = RefuseUpgrade | ((call: RealtimeCall) => unknown)

/** A running upstream. */
export interface RealtimeVendor {
  /** `http://127.0.0.1:PORT` */
  url: string
  /** Path, query and headers of every upgrade so far, including refused ones. */
  asked: readonly { target: string; headers: Headers }[]
  /** Connections in order. */
  calls: readonly RealtimeCall[]
  /** The connection with this number, now or when it arrives. */
  call(number: number): Promise<RealtimeCall>
  /** Scripts for the next upgrades, one each, before the standing one applies again. */
  next(...scripts: RealtimeScript[]): void
  close(): Promise<void>
}

interface Data {
  target: string
  headers: Headers
  script: (call: RealtimeCall) => unknown
}

type Socket = Bun.ServerWebSocket<Data>

interface Line {
  call: RealtimeCall
  take(frame: Frame): void
  drained(): void
  ended(code: number, reason: string): void
}

function lineOf(socket: Socket): Line {
  const frames: Frame[] = []
  const waits: { count: number; resolve: () => void }[] = []
  const ended = Promise.withResolvers<{ code: number; reason: string }>()
  let drain = Promise.withResolvers<void>()
  return {
    call: {
      target: socket.data.target,
      headers: socket.data.headers,
      frames,
      events: (type) => frames.map(eventIn).filter((event) => event !== undefined && event.type === type) as Record<string, unknown>[],
      received: (count) => (frames.length >= count ? Promise.resolve() : new Promise((resolve) => waits.push({ count, resolve }))),
      async send(frame) {
        const plain = typeof frame === 'string' || frame instanceof Uint8Array ? frame : JSON.stringify(frame)
        const sent = socket.send(plain)
        if (sent === 0 && plain.length > 0) throw new Error('the scripted upstream dropped a frame')
        if (sent >= 0) return
        drain = Promise.withResolvers<void>()
        await Promise.race([drain.promise, ended.promise])
      },
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      close: (code, reason) => socket.close(code, reason),
      cut: () => socket.terminate(),
      closed: ended.promise,
    },
    take(frame) {
      frames.push(frame)
      for (const wait of waits) if (frames.length >= wait.count) wait.resolve()
    },
    drained: () => drain.resolve(),
    ended: (code, reason) => ended.resolve({ code, reason }),
  }
}

const eventIn = (frame: Frame) => (typeof frame === 'string' ? jsonOf(frame) : undefined)

function jsonOf(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Starts an upstream. `standing` handles every upgrade that `next` does not. Close it in `finally` or `afterEach`. */
export function realtimeVendor(standing: RealtimeScript = conversing()): RealtimeVendor {
  const scripts: RealtimeScript[] = []
  const asked: { target: string; headers: Headers }[] = []
  const lines = new Map<Socket, Line>()
  const calls: RealtimeCall[] = []
  const waiting = new Map<number, PromiseWithResolvers<RealtimeCall>>()
  const server = Bun.serve<Data>({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request, bun) {
      const { pathname, search } = new URL(request.url)
      const seen = { target: pathname + search, headers: new Headers(request.headers) }
      asked.push(seen)
      const script = scripts.shift() ?? standing
      if (typeof script === 'object') return Response.json(script.body ?? {}, { status: script.refuse, headers: script.headers ?? {} })
      return bun.upgrade(request, { data: { ...seen, script } }) ? undefined : new Response(null, { status: 400 })
    },
    websocket: {
      maxPayloadLength: 64 * 1024 * 1024,
      backpressureLimit: 256 * 1024 * 1024,
      perMessageDeflate: false,
      open(socket) {
        const line = lineOf(socket)
        lines.set(socket, line)
        const number = calls.push(line.call) - 1
        waiting.get(number)?.resolve(line.call)
        socket.data.script(line.call)
      },
      message: (socket, frame) => {
        lines.get(socket)?.take(frame)
        onFrame(lines.get(socket)?.call, frame)
      },
      drain: (socket) => lines.get(socket)?.drained(),
      close: (socket, code, reason) => lines.get(socket)?.ended(code, reason),
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    calls,
    call(number) {
      const known = calls[number]
      if (known) return Promise.resolve(known)
      const entry = waiting.get(number) ?? Promise.withResolvers<RealtimeCall>()
      waiting.set(number, entry)
      return entry.promise
    },
    next: (...more) => void scripts.push(...more),
    close: () => server.stop(true),
  }
}

const ears = new WeakMap<RealtimeCall, (event: Record<string, unknown>) => void>()

function onFrame(call: RealtimeCall | undefined, frame: Frame): void {
  const event = eventIn(frame)
  if (call && event) ears.get(call)?.(event)
}

/** Calls `ear` for every event that the client sends. */
export function onEvent(call: RealtimeCall, ear: (event: Record<string, unknown>) => void): void {
  ears.set(call, ear)
}

export const sessionCreated = {
  type: 'session.created',
  event_id: 'event_1',
  session: { type: 'realtime', object: 'realtime.session', id: 'sess_1', model: 'gpt-realtime', output_modalities: ['audio'] },
}

/** The usage of one response, as the vendor reports it: 119 input tokens, 64 of them cached, and 50 output tokens. */
export const responseUsage = {
  total_tokens: 169,
  input_tokens: 119,
  output_tokens: 50,
  input_token_details: {
    text_tokens: 80,
    audio_tokens: 39,
    image_tokens: 0,
    cached_tokens: 64,
    cached_tokens_details: { text_tokens: 50, audio_tokens: 14, image_tokens: 0 },
  },
  output_token_details: { text_tokens: 20, audio_tokens: 30 },
}

let responses = 0

/** The events of one response with this usage. */
export function responseEvents(text: string, usage: object | null = responseUsage): object[] {
  const id = `resp_${++responses}`
  const place = { response_id: id, item_id: `item_${responses}`, output_index: 0, content_index: 0 }
  const response = { object: 'realtime.response', id, conversation_id: 'conv_1', output: [] }
  return [
    { type: 'response.created', event_id: 'event_2', response: { ...response, status: 'in_progress', usage: null } },
    ...text.split(/(?<=\s)/).map((delta) => ({ type: 'response.output_text.delta', event_id: 'event_3', ...place, delta })),
    { type: 'response.output_text.done', event_id: 'event_4', ...place, text },
    { type: 'response.done', event_id: 'event_5', response: { ...response, status: 'completed', usage } },
  ]
}

/** Opens the session and answers every `response.create` with a text. */
export function conversing(text = 'Hello from the upstream.', usage: object | null = responseUsage): RealtimeScript {
  return (call) => {
    void call.send(sessionCreated)
    onEvent(call, ({ type }) => {
      if (type === 'response.create') for (const event of responseEvents(text, usage)) void call.send(event)
    })
  }
}
