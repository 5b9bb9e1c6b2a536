/** An upstream that answers any request with one text in every dialect, whole or as a stream of two pieces. */
import { respondJson, stream } from '#testing/upstream/scripted-answers'
import type { Script } from '#testing/upstream/scripted-upstream'
import type { Gateway } from './gateway.ts'

export const dialects = ['Chat', 'Responses', 'Messages', 'Gemini'] as const

/** A dialect of clients and upstreams. */
export type DialectName = (typeof dialects)[number]

interface Spoken {
  whole(text: string): unknown
  pieces(text: string): string[]
  /** The text in a whole answer, and in the data of one event. */
  said(answer: object): string
  heard(event: object): string
}

const event = (data: object, name?: string) => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`
const halves = (text: string): [string, string] => [text.slice(0, 4), text.slice(4)]
const model = 'scripted'

const chat = (choice: object, object: string) => ({ id: 'c', object, created: 1, model, choices: [{ index: 0, ...choice }] })
const chatUsage = { usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 } }
const chunk = (content: string | undefined, finish_reason: string | null) =>
  event(chat({ delta: content === undefined ? {} : { content }, finish_reason }, 'chat.completion.chunk'))

const response = (status: string, text?: string) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model,
  status,
  output:
    text === undefined
      ? []
      : [{ type: 'message', id: 'msg_1', role: 'assistant', status, content: [{ type: 'output_text', text, annotations: [] }] }],
  usage: text === undefined ? null : { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
})
const numbered = (type: string, sequence_number: number, more: object) => event({ type, sequence_number, ...more }, type)

const message = (content: object[], stop_reason: string | null) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 5, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
})
const named = (type: string, more: object = {}) => event({ type, ...more }, type)

const generated = (text: string, finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...(finishReason && { finishReason }) }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
  modelVersion: model,
})

export const spoken: Record<DialectName, Spoken> = {
  Chat: {
    whole: (text) => ({
      ...chat({ message: { role: 'assistant', content: text }, finish_reason: 'stop' }, 'chat.completion'),
      ...chatUsage,
    }),
    pieces: (text) => [...halves(text).map((half) => chunk(half, null)), chunk(undefined, 'stop'), 'data: [DONE]\n\n'],
    said: (answer: { choices: { message: { content: string } }[] }) => answer.choices[0]?.message.content ?? '',
    heard: (one: { choices: { delta: { content?: string } }[] }) => one.choices[0]?.delta.content ?? '',
  },
  Responses: {
    whole: (text) => response('completed', text),
    pieces: (text) => [
      numbered('response.created', 0, { response: response('in_progress') }),
      ...halves(text).map((delta, at) =>
        numbered('response.output_text.delta', at + 1, { item_id: 'msg_1', output_index: 0, content_index: 0, delta }),
      ),
      numbered('response.completed', 3, { response: response('completed', text) }),
    ],
    said: (answer: { output: { content: { text: string }[] }[] }) => answer.output[0]?.content[0]?.text ?? '',
    heard: (one: { type: string; delta?: string }) => (one.type === 'response.output_text.delta' ? (one.delta ?? '') : ''),
  },
  Messages: {
    whole: (text) => message([{ type: 'text', text }], 'end_turn'),
    pieces: (text) => [
      named('message_start', { message: message([], null) }),
      named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...halves(text).map((half) => named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: half } })),
      named('content_block_stop', { index: 0 }),
      named('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 5 } }),
      named('message_stop'),
    ],
    said: (answer: { content: { text: string }[] }) => answer.content[0]?.text ?? '',
    heard: (one: { delta?: { text?: string } }) => one.delta?.text ?? '',
  },
  Gemini: {
    whole: (text) => generated(text, 'STOP'),
    pieces: (text) => {
      const [first, second] = halves(text)
      return [event(generated(first)), event(generated(second, 'STOP'))]
    },
    said: (answer: ReturnType<typeof generated>) => answer.candidates[0]?.content.parts[0]?.text ?? '',
    heard: (one: ReturnType<typeof generated>) => one.candidates[0]?.content.parts[0]?.text ?? '',
  },
}

/** Answers `text` in the dialect of the requested path. */
export const inFourDialects =
  (text: string): Script =>
  (exchange) => {
    const { target } = exchange.request
    const { stream: streams } = exchange.request.json() as { stream?: boolean }
    const dialect = target.includes('/responses')
      ? 'Responses'
      : target.includes('/messages')
        ? 'Messages'
        : target.includes(':')
          ? 'Gemini'
          : 'Chat'
    const { whole, pieces } = spoken[dialect]
    return (streams || target.includes('alt=sse') ? stream(pieces(text)) : respondJson(200, whole(text)))(exchange)
  }

/** A vendor with the dialect. */
export const vendorOf: Record<DialectName, string> = {
  Chat: 'openai-compatible',
  Responses: 'openai',
  Messages: 'anthropic',
  Gemini: 'gemini',
}

/** Asks "hi" in this dialect with the gateway's key; requests usage in streams where that is optional. */
export function askIn(
  dialect: DialectName,
  { url, key }: Pick<Gateway, 'url' | 'key'>,
  model: string,
  streams: boolean,
  signal?: AbortSignal,
): Promise<Response> {
  const messages = [{ role: 'user', content: 'hi' }]
  const method = streams ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const [path, body] = {
    Chat: ['/v1/chat/completions', { model, messages, stream: streams, ...(streams && { stream_options: { include_usage: true } }) }],
    Responses: ['/v1/responses', { model, input: 'hi', stream: streams, store: false }],
    Messages: ['/v1/messages', { model, messages, max_tokens: 500, stream: streams }],
    Gemini: [`/v1beta/models/${model}:${method}`, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }],
  }[dialect] as [string, object]
  return fetch(url + path, {
    method: 'POST',
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}
