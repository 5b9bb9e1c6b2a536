/**
 * A scripted vendor of the Chat Completions API that behaves like the real one: it checks key, content type and body, refuses with the
 * vendor's messages, and streams chunks in the vendor's order. Written from the public API reference, not from Parley's codecs, so that
 * their mistakes are not repeated here.
 */

import { respondJson } from '#testing/upstream/scripted-answers'
import type { Exchange, Script } from '#testing/upstream/scripted-upstream'
import { chatAsked } from './chat-asked.ts'
import { chatFault, type VendorFault } from './chat-rules.ts'
import { answerTo, type Reply, scenarioOf, type Trouble } from './scenarios.ts'
import { type Frame, play, tell } from './vendor-play.ts'

/** The body fields that the vendor reads. */
export interface ChatBody {
  model: string
  messages: { role: string; content?: unknown }[]
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  n?: number
  tools?: { type: string; function?: { name: string } }[]
  tool_choice?: unknown
  parallel_tool_calls?: boolean
  response_format?: { type: string; json_schema?: { schema?: unknown } }
  [field: string]: unknown
}

/** What the model answers. Text is sent in the given pieces; each call is streamed with its arguments in two halves. */
export interface ChatReply {
  /** Reasoning, which services compatible with this API send as `reasoning_content`. */
  thought?: string[]
  text?: string[]
  /** A refusal in place of the text. */
  refuses?: boolean
  calls?: { id: string; name: string; arguments: string }[]
  finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter'
  usage?: {
    prompt_tokens: number
    completion_tokens: number
    cached_tokens?: number
    cache_write_tokens?: number
    reasoning_tokens?: number
  }
  trouble?: Trouble | undefined
  /** Milliseconds between pieces; overrides the vendor's option. */
  everyMs?: number | undefined
}

/** How the vendor differs from its defaults. */
export interface ChatVendorOptions {
  /** Accepted keys; default `sk-vendor`. */
  keys?: string[]
  /** Known models; default `gpt-test`. */
  models?: string[]
  /** Refuse body fields that the API does not have, as the real one does. Default true. */
  strictFields?: boolean
  /** Milliseconds between chunks of a stream. */
  everyMs?: number
  /** Its answers; default: `defaultReply`. */
  reply?(body: ChatBody): ChatReply
}

const account = { 'x-request-id': 'req_vendor', 'openai-organization': 'org-secret' }

/** Creates the vendor. */
export function chatVendor(options: ChatVendorOptions = {}): Script {
  const keys = options.keys ?? ['sk-vendor']
  const models = options.models ?? ['gpt-test']
  /** Numbers the scenarios' calls, so that ids are never reused. */
  let calls = 0
  return async (exchange) => {
    const { request } = exchange
    const refuse = (fault: VendorFault) => vendorError(fault)(exchange)
    if (request.method !== 'POST' || request.target !== '/v1/chat/completions') {
      return refuse({ status: 404, message: `Invalid URL (${request.method} ${request.target})` })
    }
    const key = /^Bearer (.+)$/.exec(request.header('authorization') ?? '')?.[1]
    if (key === undefined) return refuse({ status: 401, message: "You didn't provide an API key." })
    if (!keys.includes(key)) return refuse({ status: 401, message: `Incorrect API key provided: ${key}.`, code: 'invalid_api_key' })
    const fault = chatFault(request, { models, strictFields: options.strictFields ?? true })
    if (fault !== undefined) return refuse(fault)
    const body = request.json() as ChatBody
    const reply = options.reply === undefined ? defaultReply(body, () => `call_s${++calls}`) : options.reply(body)
    const { trouble, everyMs } = reply
    if (body.stream === true) await streamed(exchange, body, reply, everyMs ?? options.everyMs)
    else if (trouble === 'error-first' || trouble === 'error-late') await vendorFailed(503)(exchange)
    else await tell(exchange, whole(body, reply), account, { trouble, everyMs })
  }
}

/** An error in the vendor's envelope, with account headers that a gateway must not forward. */
export function vendorError({ status, message, code = null, param = null, type, headers = {} }: VendorFault): Script {
  const kind = type ?? (status >= 500 ? 'server_error' : status === 429 ? 'rate_limit_error' : 'invalid_request_error')
  return respondJson(status, { error: { message, type: kind, param, code } }, { ...account, ...headers })
}

/** A 429 that names the account, as the real one does. */
export const vendorRateLimited = (retryAfter = '1'): Script =>
  vendorError({
    status: 429,
    message: 'Rate limit reached for gpt-test in organization org-secret on requests per min (RPM): Limit 3, Used 3.',
    code: 'rate_limit_exceeded',
    headers: { 'Retry-After': retryAfter, 'x-ratelimit-remaining-requests': '0' },
  })

/** A server error. */
export const vendorFailed = (status = 500): Script =>
  vendorError({ status, message: 'The server had an error while processing your request. Sorry about that!' })

/** The scenario that the user asked for; otherwise calls every offered tool after a user message, or repeats the tool results. */
export function defaultReply(body: ChatBody, callId: () => string): ChatReply {
  const asked = chatAsked(body)
  if (scenarioOf(asked.said) !== undefined) return played(answerTo(asked), callId)
  const last = body.messages.at(-1)
  if (last?.role === 'user' && body.tools !== undefined && body.tool_choice !== 'none') {
    const offered = body.parallel_tool_calls === false ? body.tools.slice(0, 1) : body.tools
    return {
      calls: offered.map((tool, index) => ({ id: `call_${index + 1}`, name: tool.function?.name ?? '', arguments: '{"city":"Paris"}' })),
    }
  }
  if (body.response_format?.type === 'json_schema') return { text: ['{"name":', '"Ada","age":', '36}'] }
  if (body.response_format?.type === 'json_object') return { text: ['{"ok":', 'true}'] }
  return { text: `You said: ${plainText(last?.content)}`.split(/(?<= )/) }
}

function played({ thought, text, calls, ending, usage, trouble, everyMs }: Reply, callId: () => string): ChatReply {
  const { fresh, cacheRead, cacheWrite, out, reasoning } = usage
  return {
    ...(thought.length > 0 && { thought }),
    ...(text.length > 0 && { text }),
    ...(calls.length > 0 && {
      calls: calls.map(({ name, args }) => ({ id: callId(), name, arguments: JSON.stringify(args) })),
    }),
    refuses: ending === 'refusal',
    finish: ({ stop: 'stop', calls: 'tool_calls', length: 'length', refusal: 'stop', filter: 'content_filter' } as const)[ending],
    usage: {
      prompt_tokens: fresh + cacheRead + cacheWrite,
      completion_tokens: out,
      cached_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
      reasoning_tokens: reasoning,
    },
    trouble,
    everyMs,
  }
}

function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { type: string; text?: string }) => (part.type === 'text' ? part.text : `[${part.type}]`)).join(' ')
}

const finishOf = (reply: ChatReply) => reply.finish ?? (reply.calls === undefined ? 'stop' : 'tool_calls')

const base = (body: ChatBody, object: string) => ({
  id: 'chatcmpl-scripted',
  object,
  created: 1_700_000_000,
  model: `${body.model}-2026-01-01`,
  service_tier: 'default',
  system_fingerprint: 'fp_scripted',
})

function usageOf(body: ChatBody, reply: ChatReply) {
  const { prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens } = {
    prompt_tokens: 10 * body.messages.length,
    completion_tokens: (reply.text?.length ?? 0) + 8 * (reply.calls?.length ?? 0),
    cached_tokens: 0,
    cache_write_tokens: undefined,
    reasoning_tokens: 0,
    ...reply.usage,
  }
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens, audio_tokens: 0, ...(cache_write_tokens !== undefined && { cache_write_tokens }) },
    completion_tokens_details: { reasoning_tokens, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  }
}

function whole(body: ChatBody, reply: ChatReply) {
  const message = {
    role: 'assistant',
    content: reply.refuses ? null : (reply.text?.join('') ?? null),
    refusal: reply.refuses ? (reply.text?.join('') ?? '') : null,
    ...(reply.thought && { reasoning_content: reply.thought.join('') }),
    annotations: [],
    ...(reply.calls && {
      tool_calls: reply.calls.map(({ id, name, arguments: text }) => ({ id, type: 'function', function: { name, arguments: text } })),
    }),
  }
  const choices = Array.from({ length: body.n ?? 1 }, (_, index) => ({ index, message, logprobs: null, finish_reason: finishOf(reply) }))
  return { ...base(body, 'chat.completion'), choices, usage: usageOf(body, reply) }
}

async function streamed(exchange: Exchange, body: ChatBody, reply: ChatReply, everyMs = 0): Promise<void> {
  const error = `data: ${JSON.stringify({ error: { message: 'The server is overloaded.', type: 'server_error', param: null, code: null } })}\n\n`
  const frames = reply.trouble === 'error-first' ? [{ text: error }] : framed(body, reply)
  const type = { 'Content-Type': 'text/event-stream; charset=utf-8' }
  await play(exchange, { headers: { ...type, ...account }, frames, error, trouble: reply.trouble, everyMs })
}

/** Every event of the stream: the chunks, the usage if requested, and the end. */
function* framed(body: ChatBody, reply: ChatReply): Generator<Frame> {
  const asked = body.stream_options?.include_usage === true
  for (const fields of chunks(body, reply)) {
    // The padding with which the real vendor hides token lengths.
    const padded = { ...base(body, 'chat.completion.chunk'), ...fields, obfuscation: 'x7Qp' }
    yield { text: `data: ${JSON.stringify(asked ? { ...padded, usage: null } : padded)}\n\n`, content: true }
  }
  if (asked) {
    const last = { ...base(body, 'chat.completion.chunk'), choices: [], usage: usageOf(body, reply), obfuscation: '' }
    yield { text: `data: ${JSON.stringify(last)}\n\n` }
  }
  yield { text: 'data: [DONE]\n\n' }
}

/** Every chunk except usage: for each choice the role, the content, then the finish reason with an empty delta. */
function* chunks(body: ChatBody, reply: ChatReply) {
  for (let index = 0; index < (body.n ?? 1); index++) {
    const choice = (delta: object, finish_reason: string | null = null) => ({ choices: [{ index, delta, logprobs: null, finish_reason }] })
    yield choice({ role: 'assistant', content: reply.calls === undefined ? '' : null, refusal: null })
    for (const reasoning_content of reply.thought ?? []) yield choice({ reasoning_content })
    for (const piece of reply.text ?? []) yield choice(reply.refuses ? { refusal: piece } : { content: piece })
    for (const [number, call] of (reply.calls ?? []).entries()) {
      const middle = Math.ceil(call.arguments.length / 2)
      yield choice({ tool_calls: [{ index: number, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }] })
      for (const part of [call.arguments.slice(0, middle), call.arguments.slice(middle)]) {
        yield choice({ tool_calls: [{ index: number, function: { arguments: part } }] })
      }
    }
    yield choice({}, finishOf(reply))
  }
}
