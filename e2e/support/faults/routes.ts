/**
 * A strict client for each endpoint: an answer is complete, or it is an error in the endpoint's dialect; anything in between is a defect
 * and throws.
 */
import type { WireName } from './wires.ts'

/** What a client reads from an answer. */
export interface Told {
  status: number
  /** `broken`: the connection ended in the middle, the only way in which some answers can signal an error. */
  kind: 'answer' | 'error' | 'broken'
  /** The error's code in the endpoint's dialect. */
  code: string | undefined
  /** The text received before the end. */
  text: string
  retryAfter: string | null
  requestId: string
  /** Everything as received. */
  raw: string
}

/** One endpoint. */
export interface Route {
  path(model: string, stream: boolean): string
  body(model: string, stream: boolean): object | FormData
  headers?: Record<string, string>
  /** The text of an answer that is not a stream. Throws if it is malformed. */
  textOf(body: string): string
  /** Reads a stream. Throws if it is malformed. */
  streamed(raw: string): Pick<Told, 'kind' | 'code' | 'text'>
  codeOf(body: Fields): string | undefined
}

/** JSON of unknown shape. */
export type Fields = { [name: string]: Fields } & { [index: number]: Fields }

/** Parses JSON. */
export const fieldsOf = (json: string): Fields => JSON.parse(json) as Fields

/** Every event of a stream; throws if it is not a valid event stream. */
export function eventsIn(raw: string): { name: string | undefined; data: string }[] {
  if (!/(?:\r\n|\r|\n){2}$/.test(raw)) throw new Error(`a stream ends inside an event: ${raw.slice(-80)}`)
  return raw
    .replaceAll(/\r\n|\r/g, '\n')
    .split(/\n{2,}/)
    .filter((block) => block !== '')
    .map((block) => {
      const lines = block.split('\n')
      const strange = lines.find((line) => !/^(?:data|event|id|retry):|^:/.test(line))
      if (strange !== undefined) throw new Error(`not a field of an event: ${strange.slice(0, 80)}`)
      const name = lines
        .find((line) => line.startsWith('event:'))
        ?.slice(6)
        .trim()
      const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim())
      return { name, data: data.join('\n') }
    })
    .filter(({ data }) => data !== '')
}

const openaiCode = (body: Fields) => String(body.error?.code ?? body.error?.type)
const asked = [{ role: 'user', content: 'Well?' }]
const wrongEnd = (what: unknown): never => {
  throw new Error(`the stream ends without its last event: ${JSON.stringify(what).slice(0, 200)}`)
}

const chat: Route = {
  path: () => '/v1/chat/completions',
  body: (model, stream) => ({ model, messages: asked, stream }),
  textOf: (body) => String(fieldsOf(body).choices?.[0]?.message?.content),
  codeOf: openaiCode,
  streamed(raw) {
    const events = eventsIn(raw)
    if (events.at(-1)?.data !== '[DONE]') wrongEnd(events.at(-1))
    const chunks = events.slice(0, -1).map(({ data }) => fieldsOf(data))
    const text = chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join('')
    const last = chunks.at(-1)
    if (chunks.slice(0, -1).some((chunk) => chunk.error)) throw new Error('an error is not the last word')
    if (last?.error) return { kind: 'error', code: openaiCode(last), text }
    if (!chunks.some((chunk) => chunk.choices?.[0]?.finish_reason)) wrongEnd(last)
    return { kind: 'answer', code: undefined, text }
  },
}

const messages: Route = {
  path: () => '/v1/messages',
  body: (model, stream) => ({ model, messages: asked, stream, max_tokens: 2000 }),
  headers: { 'anthropic-version': '2023-06-01' },
  textOf: (body) => String(fieldsOf(body).content?.[0]?.text),
  codeOf: (body) => (String(body.type) === 'error' ? String(body.error?.code ?? body.error?.type) : undefined),
  streamed(raw) {
    const events = eventsIn(raw).map(({ name, data }) => ({ name, data: fieldsOf(data) }))
    const nameless = events.find(({ name, data }) => name !== String(data.type))
    if (nameless) throw new Error('an event whose name is not its type')
    const text = events.map(({ data }) => data.delta?.text ?? '').join('')
    const last = events.at(-1)
    if (events.slice(0, -1).some(({ name }) => name === 'error' || name === 'message_stop')) throw new Error('an event follows the end')
    if (last?.name === 'error') return { kind: 'error', code: messages.codeOf(last.data), text }
    if (last?.name !== 'message_stop' || !events.some(({ data }) => data.delta?.stop_reason)) wrongEnd(last)
    return { kind: 'answer', code: undefined, text }
  },
}

const partsIn = (body: Fields) => Object.values(body.candidates?.[0]?.content?.parts ?? {})
const geminiText = (body: Fields) =>
  partsIn(body)
    .map((part) => part.text ?? '')
    .join('')

const gemini: Route = {
  path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: () => ({ contents: [{ role: 'user', parts: [{ text: 'Well?' }] }] }),
  textOf: (body) => geminiText(fieldsOf(body)),
  codeOf: (body) => String(body.error?.details?.[0]?.reason ?? body.error?.status),
  streamed(raw) {
    const chunks = eventsIn(raw).map(({ data }) => fieldsOf(data))
    const text = chunks.map(geminiText).join('')
    const last = chunks.at(-1)
    if (chunks.slice(0, -1).some((chunk) => chunk.error)) throw new Error('an error is not the last word')
    if (last?.error) return { kind: 'error', code: gemini.codeOf(last), text }
    if (!chunks.some((chunk) => chunk.candidates?.[0]?.finishReason)) wrongEnd(last)
    return { kind: 'answer', code: undefined, text }
  },
}

const responses: Route = {
  path: () => '/v1/responses',
  body: (model, stream) => ({ model, input: 'Well?', stream, store: false }),
  textOf: (body) => String(fieldsOf(body).output?.[0]?.content?.[0]?.text),
  codeOf: openaiCode,
  streamed(raw) {
    const events = eventsIn(raw).map(({ name, data }) => ({ name, data: fieldsOf(data) }))
    if (events.some(({ name, data }) => name !== String(data.type))) throw new Error('an event whose name is not its type')
    const numbers = events.map(({ data }) => Number(data.sequence_number))
    if (numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] ?? 0)))
      throw new Error('sequence numbers do not increase')
    const text = events.flatMap(({ name, data }) => (name === 'response.output_text.delta' ? String(data.delta) : [])).join('')
    const last = events.at(-1)
    if (last?.name === 'error') return { kind: 'error', code: String(last.data.code), text }
    if (last?.name === 'response.failed') return { kind: 'error', code: String(last.data.response?.error?.code), text }
    if (last?.name !== 'response.completed') wrongEnd(last)
    return { kind: 'answer', code: undefined, text }
  },
}

export const routes: Record<WireName, Route> = { chat, messages, gemini, responses }

/** Sends the request, reads to the end, and classifies the answer. */
export async function ask(url: string, key: string, route: Route, model: string, stream: boolean): Promise<Told> {
  const body = route.body(model, stream)
  const isForm = body instanceof FormData
  const answer = await fetch(url + route.path(model, stream), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(!isForm && { 'content-type': 'application/json' }), ...route.headers },
    body: isForm ? body : JSON.stringify(body),
  })
  const head = {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    requestId: answer.headers.get('x-request-id') ?? '',
  }
  const pieces: Uint8Array[] = []
  let broke = false
  try {
    for await (const piece of answer.body ?? []) pieces.push(piece)
  } catch {
    broke = true
  }
  // Skips a byte order mark, as readers of event streams must.
  const raw = new TextDecoder().decode(Buffer.concat(pieces))
  if (broke) return { ...head, kind: 'broken', code: undefined, text: raw, raw }
  if (answer.status === 200 && stream) return { ...head, ...route.streamed(raw), raw }
  if (answer.status === 200) return { ...head, kind: 'answer', code: undefined, text: route.textOf(raw), raw }
  return { ...head, kind: 'error', code: route.codeOf(fieldsOf(raw)), text: '', raw }
}
