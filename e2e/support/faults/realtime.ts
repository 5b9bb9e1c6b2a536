/** The realtime endpoint for the fault matrix: a client and an upstream that speak WebSocket byte by byte, and what can break. */
import { connect } from 'node:net'
import { wait } from '#testing/upstream/scripted-answers'
import type { Exchange, Script } from '#testing/upstream/scripted-upstream'
import { acceptOf, closeBytes, frameBytes, frameReader, opcodes } from '#testing/upstream/websocket-frames'
import type { Place } from './places.ts'
import { fieldsOf, type Told } from './routes.ts'
import type { Row } from './rows.ts'
import { answered, cut, type Says, unanswered, type Verdict } from './verdict.ts'
import { text, trueCost, wires, words } from './wires.ts'

const [first = '', second = ''] = words

/** Milliseconds that a client waits for the next frame. */
const patience = 15_000

/** Opens a session, asks once, and reads until it is closed. Throws if the answer is not a valid WebSocket. */
export async function askRealtime(url: string, key: string, model: string): Promise<Told> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const impatience = setTimeout(() => socket.destroy(), patience)
  try {
    return await converse(socket, `/v1/realtime?model=${model}`, key)
  } finally {
    clearTimeout(impatience)
    socket.destroy()
  }
}

async function converse(socket: ReturnType<typeof connect>, path: string, key: string): Promise<Told> {
  const handshake = 'dGhlIHNhbXBsZSBub25jZQ=='
  const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${handshake}\r\n`
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${upgrade}\r\n`)
  let head: Head | undefined
  let came = Buffer.alloc(0)
  const read = frameReader()
  const frames: Spoken[] = []
  for await (const piece of socket as AsyncIterable<Buffer>) {
    came = Buffer.concat([came, piece])
    if (!head) {
      head = headIn(came)
      if (!head) continue
      came = came.subarray(head.size)
      if (head.status === 101) socket.write(frameBytes('{"type":"response.create"}', { masked: true }))
    }
    if (head.status !== 101) {
      if (came.length >= Number(head.value('content-length') ?? 0)) return refused(head, came.toString())
      continue
    }
    for (const { opcode, payload } of read(came)) {
      if (opcode === opcodes.text) frames.push(fieldsOf(payload.toString()))
      if (opcode === opcodes.close) {
        socket.end(closeBytes(1000, { masked: true }))
        return toldBy(head, frames, payload.length < 2 ? 1005 : payload.readUInt16BE(0))
      }
    }
    came = Buffer.alloc(0)
  }
  if (!head) throw new Error('the connection ended before it was answered')
  return toldBy(head, frames, 1006)
}

type Spoken = ReturnType<typeof fieldsOf>

interface Head {
  status: number
  size: number
  value(name: string): string | null
}

function headIn(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const lines = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const fields = new Headers(
    lines.slice(1).map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  )
  const status = Number(lines[0]?.split(' ')[1])
  if (status === 101 && fields.get('sec-websocket-accept') !== acceptOf('dGhlIHNhbXBsZSBub25jZQ=='))
    throw new Error('this is not a valid upgrade')
  return { status, size: end + 4, value: (name) => fields.get(name) }
}

const common = (head: Head) => ({ status: head.status, retryAfter: head.value('retry-after'), requestId: head.value('x-request-id') ?? '' })

function refused(head: Head, raw: string): Told {
  const { error } = fieldsOf(raw)
  return { ...common(head), kind: 'error', code: String(error?.code ?? error?.type), text: '', raw }
}

/** A session ends with an error, a completed response, or without either. */
function toldBy(head: Head, frames: readonly Spoken[], code: number): Told {
  const said = frames.map(({ delta }) => delta ?? '').join('')
  const rest = { ...common(head), text: said, raw: JSON.stringify(frames) }
  const last = frames.at(-1)
  if (String(last?.type) === 'error') return { ...rest, kind: 'error', code: String(last?.error?.code) }
  const isDone = frames.some(({ type }) => String(type) === 'response.done')
  return { ...rest, kind: isDone && code === 1000 ? 'answer' : 'broken', code: undefined }
}

const event = (type: string, fields: object = {}) => JSON.stringify({ type, event_id: 'event_1', ...fields })
const response = { object: 'realtime.response', id: 'resp_1', conversation_id: 'conv_1', output: [] }
const delta = (said: string) =>
  event('response.output_text.delta', { response_id: 'resp_1', item_id: 'item_1', output_index: 0, content_index: 0, delta: said })
const created = event('session.created', { session: { type: 'realtime', object: 'realtime.session', id: 'sess_1', model: 'upstream' } })
const begun = event('response.created', { response: { ...response, status: 'in_progress', usage: null } })
const usage = { total_tokens: 1500, input_tokens: 1000, output_tokens: 500 }
const done = event('response.done', { response: { ...response, status: 'completed', usage } })

const upgraded = (exchange: Exchange) =>
  exchange.head(101, {
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Accept': acceptOf(exchange.request.header('sec-websocket-key') ?? ''),
  })

/** Accepts the connection, and runs `then` once the client has asked; answers a close. */
const session =
  (opening: readonly string[], then: (exchange: Exchange) => unknown): Script =>
  async (exchange) => {
    const read = frameReader()
    let asked = false
    exchange.listen((bytes) => {
      for (const { opcode } of read(bytes)) {
        if (opcode === opcodes.close) exchange.close()
        if (opcode !== opcodes.text || asked) continue
        asked = true
        void then(exchange)
      }
    })
    await upgraded(exchange)
    for (const frame of opening) await exchange.write(frameBytes(frame))
  }

/** The first content, then this. */
const after = (then: (exchange: Exchange) => unknown): Script =>
  session([created], async (exchange) => {
    for (const frame of [begun, delta(first)]) await exchange.write(frameBytes(frame))
    // An immediate reset may discard what has not been read yet.
    await wait(100)
    await then(exchange)
  })

const rest = [delta(second), done].map((frame) => frameBytes(frame))
const saying = (bytes: Uint8Array): Script => after((exchange) => exchange.write(Buffer.concat([bytes, ...rest, closeBytes(1000)])))

export const goodSession: Script = saying(Buffer.alloc(0))

/** The same in pieces of one byte: a message in three frames, pings before and between them. */
const oddly = Buffer.concat([
  frameBytes('are you there?', { opcode: opcodes.ping }),
  frameBytes(delta(second).slice(0, 20), { last: false }),
  frameBytes('', { opcode: opcodes.ping }),
  frameBytes(delta(second).slice(20, 40), { opcode: opcodes.more, last: false }),
  frameBytes(delta(second).slice(40), { opcode: opcodes.more }),
  frameBytes(done),
  closeBytes(1000),
])
const byByte: Script = after(async (exchange) => {
  for (const byte of oddly) {
    await exchange.write(Uint8Array.of(byte))
    await wait(0)
  }
})

type Cell = { play: readonly Script[] | Place; verdict: Verdict } | `- ${string}`

/** When a session's upstream is lost, the client receives an error event and a close. */
const lost: Verdict = { ...cut, ailment: 'closed upstream_error' }
/** Closed normally in the middle of a response; so is the client's side. */
const closedEarly: Verdict = { ...lost, broken: true }
const noHttp = '- frames have neither heads nor lines'

/** Rows that mean something different for a session than for a stream; every other row refuses its upgrade. */
const own: Record<string, Cell> = {
  'R-UP-0': { play: [goodSession], verdict: answered },
  'R-UP-4': '- an upstream may wait for the first word of the client',
  'R-UP-4b': '- a session may be silent; pings tell whether anybody is there',
  'R-UP-5': { play: [after((exchange) => exchange.close())], verdict: lost },
  'R-UP-5b': { play: [saying(frameBytes('', { compressed: true }))], verdict: lost },
  'R-UP-5c': { play: [after((exchange) => exchange.write(closeBytes(1000)))], verdict: closedEarly },
  'R-UP-5d': noHttp,
  'R-UP-6': { play: [byByte], verdict: answered },
  'R-UP-6b': { play: [saying(frameBytes('', { claims: 17 * 1024 * 1024 }))], verdict: lost },
  'R-UP-6c': noHttp,
  'R-UP-6d': noHttp,
  'R-UP-6e': noHttp,
  'R-UP-7c': '- it is no upgrade: R-UP-7',
  'R-UP-7d': '- it is no upgrade: R-UP-7',
  'R-UP-8': {
    play: [
      async (exchange) => {
        for (const status of [102, 103, 100]) await exchange.head(status)
        await goodSession(exchange)
      },
    ],
    verdict: answered,
  },
  'R-UP-15': {
    play: [session([event('error', { error: { type: 'server_error', code: null, message: 'boom' } })], () => {})],
    verdict: unanswered,
  },
  'R-UP-15b': '- an error event ends no session, and passes as it is',
  'R-UP-15c': {
    play: [after((exchange) => exchange.write(Buffer.concat([...rest, frameBytes(done), closeBytes(1000)])))],
    verdict: answered,
  },
  'R-UP-16': { play: [(exchange) => exchange.close(), goodSession], verdict: { ...unanswered, repeatHelps: true } },
  'R-UP-17': '- measured: e2e/realtime-session.test.ts',
}

/** Rows whose scripts are HTTP answers, which refuse the upgrade whatever they contain. */
export function realtimeCell({ id, streamed, verdict }: Row): Cell {
  const cell = own[id]
  if (cell) return cell
  if (typeof streamed === 'string') return streamed.startsWith('- ') ? (streamed as `- ${string}`) : { play: streamed as Place, verdict }
  const { refusal, limited } = wires.chat
  const none = { opening: '', content: '', rest: '', finish: '', error: '' }
  const source = { whole: { type: 'application/json', body: '{}' }, streamed: none, refusal, limited }
  return { play: streamed(source), verdict }
}

export const realtime = {
  ask: askRealtime,
  channel: { vendor: 'openai' },
  good: goodSession,
  says: { text, first, cost: trueCost, status: 101 } satisfies Says,
}
