/**
 * What a well-behaved upstream of each dialect sends, divided into the pieces between which it can fail: written from the protocols'
 * descriptions, including usage, so that faults and false usage can be placed anywhere.
 */

/** Usage as sent; a value may be anything, not only a number. Undefined: no usage. */
export type Figures = { input: unknown; output: unknown } | undefined

export const truth = { input: 1000, output: 500 }
/** The cost in USD of an answer with true usage at `prices`. */
export const trueCost = '0.002'
export const prices = { input: '1', output: '2' }

/** Characters of one, two, three and four bytes. */
export const words = ['Grüße ', 'aus 東京 👋.']
export const text = words.join('')

/** The answers of one dialect. */
export interface Wire {
  vendor: string
  speaks?: string[]
  whole(figures: Figures): string
  /** Everything before the first content. */
  opening(figures: Figures): string
  content(word: string): string
  /** An event that reports usage before the end. */
  early(figures: Figures): string
  /** The finish reason, with usage. */
  finish(figures: Figures): string
  /** Empty if the finish reason is the end. */
  terminator(figures: Figures): string
  /** The vendor's in-stream error. */
  error: string
  /** The body of a refusal, which blames the upstream or, with 4xx, the caller or the key. */
  refusal(status: number): object
  limited: object
}

const sse = (value: object, name?: string) => `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`

const openaiRefusal = (status: number) => ({
  error: {
    message: status === 404 ? 'The model does not exist.' : 'Something is wrong with this.',
    type: status < 500 ? 'invalid_request_error' : 'server_error',
    param: status === 404 ? 'model' : null,
    code: status === 404 ? 'model_not_found' : status === 400 ? 'odd_value' : null,
  },
})
const openaiLimited = { error: { message: 'Limit reached for org-secret.', type: 'requests', param: null, code: 'rate_limit_exceeded' } }

const chunk = (fields: object) => sse({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'upstream', ...fields })
const choice = (delta: object, reason: string | null = null) => chunk({ choices: [{ index: 0, delta, finish_reason: reason }] })
const chatUsage = (figures: Figures) => figures && { prompt_tokens: figures.input, completion_tokens: figures.output, total_tokens: 1500 }

const chat: Wire = {
  vendor: 'openai-compatible',
  whole: (figures) =>
    JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'upstream',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      ...(figures && { usage: chatUsage(figures) }),
    }),
  opening: () => choice({ role: 'assistant', content: '' }),
  content: (word) => choice({ content: word }),
  early: (figures) => chunk({ choices: [], usage: chatUsage(figures) }),
  finish: (figures) => choice({}, 'stop') + (figures ? chunk({ choices: [], usage: chatUsage(figures) }) : ''),
  terminator: () => 'data: [DONE]\n\n',
  error: sse({ error: { message: 'boom', type: 'server_error', code: null } }),
  refusal: openaiRefusal,
  limited: openaiLimited,
}

const messagesUsage = (figures: Figures) => figures && { usage: { input_tokens: figures.input, output_tokens: figures.output } }
const event = (type: string, fields: object = {}) => sse({ type, ...fields }, type)
const message = (figures: Figures, said: object) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'upstream',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  ...messagesUsage(figures),
  ...said,
})
const messagesTypes: Record<number, string> = { 401: 'authentication_error', 404: 'not_found_error', 529: 'overloaded_error' }

const messages: Wire = {
  vendor: 'anthropic',
  whole: (figures) => JSON.stringify(message(figures, { content: [{ type: 'text', text }], stop_reason: 'end_turn' })),
  opening: (figures) =>
    event('message_start', { message: message(figures && { input: figures.input, output: 1 }, {}) }) +
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
    event('ping'),
  content: (word) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: word } }),
  early: (figures) => event('message_delta', { delta: { stop_reason: null }, ...messagesUsage(figures) }),
  finish: (figures) =>
    event('content_block_stop', { index: 0 }) +
    event('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, ...messagesUsage(figures) }),
  terminator: () => event('message_stop'),
  error: event('error', { error: { type: 'api_error', message: 'boom' } }),
  refusal: (status) => ({
    type: 'error',
    error: {
      type: messagesTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'),
      message: status === 404 ? 'model: upstream' : 'Something is wrong with this.',
    },
  }),
  limited: { type: 'error', error: { type: 'rate_limit_error', message: 'Limit reached for org-secret.' } },
}

const geminiUsage = (figures: Figures) =>
  figures && { usageMetadata: { promptTokenCount: figures.input, candidatesTokenCount: figures.output, totalTokenCount: 1500 } }
const candidate = (parts: object[], rest: object = {}) => ({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...rest }] })
const around = { modelVersion: 'upstream', responseId: 'r' }
const geminiWords: Record<number, string> = { 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 404: 'NOT_FOUND', 429: 'RESOURCE_EXHAUSTED' }
const geminiError = (code: number, said: string) => ({ error: { code, message: said, status: geminiWords[code] ?? 'INTERNAL' } })

const gemini: Wire = {
  vendor: 'gemini',
  whole: (figures) => JSON.stringify({ ...candidate([{ text }], { finishReason: 'STOP' }), ...geminiUsage(figures), ...around }),
  opening: () => sse(around),
  content: (word) => sse({ ...candidate([{ text: word }]), ...around }),
  early: (figures) => sse({ ...geminiUsage(figures), ...around }),
  finish: (figures) => sse({ ...candidate([{ text: '' }], { finishReason: 'STOP' }), ...geminiUsage(figures), ...around }),
  terminator: () => '',
  error: sse(geminiError(500, 'boom')),
  refusal: (status) => geminiError(status, status === 404 ? 'models/upstream is not found' : 'Something is wrong with this.'),
  limited: geminiError(429, 'Limit reached for org-secret.'),
}

const responsesUsage = (figures: Figures) => figures && { input_tokens: figures.input, output_tokens: figures.output, total_tokens: 1500 }
const response = (status: string, fields: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  error: null,
  incomplete_details: null,
  model: 'upstream',
  output: [],
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage: null,
  ...fields,
})
const part = (said: string) => ({ type: 'output_text', text: said, annotations: [], logprobs: [] })
const item = (status: string, content: object[]) => ({ type: 'message', id: 'msg_1', role: 'assistant', status, content })
const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
const done = (figures: Figures) =>
  response('completed', { output: [item('completed', [part(text)])], ...(figures && { usage: responsesUsage(figures) }) })

const responses: Wire = {
  vendor: 'openai',
  speaks: ['responses'],
  whole: (figures) => JSON.stringify(done(figures)),
  opening: () =>
    event('response.created', { sequence_number: 0, response: response('in_progress') }) +
    event('response.in_progress', { sequence_number: 1, response: response('in_progress') }) +
    event('response.output_item.added', { sequence_number: 2, output_index: 0, item: item('in_progress', []) }) +
    event('response.content_part.added', { sequence_number: 3, ...at, part: part('') }),
  content: (word) => event('response.output_text.delta', { sequence_number: words.indexOf(word) + 4, ...at, delta: word, logprobs: [] }),
  early: (figures) =>
    event('response.in_progress', { sequence_number: 7, response: response('in_progress', { usage: responsesUsage(figures) }) }),
  finish: () =>
    event('response.output_text.done', { sequence_number: 8, ...at, text, logprobs: [] }) +
    event('response.content_part.done', { sequence_number: 9, ...at, part: part(text) }) +
    event('response.output_item.done', { sequence_number: 10, output_index: 0, item: item('completed', [part(text)]) }),
  terminator: (figures) => event('response.completed', { sequence_number: 11, response: done(figures) }),
  error: event('error', { sequence_number: 20, code: 'server_error', message: 'boom', param: null }),
  refusal: openaiRefusal,
  limited: openaiLimited,
}

export const wires = { chat, messages, gemini, responses }

/** A dialect. */
export type WireName = keyof typeof wires
export const wireNames = Object.keys(wires) as WireName[]

/** A stream without a fault. */
export const goodStream = (wire: Wire): string[] => [
  wire.opening(truth),
  ...words.map((word) => wire.content(word)),
  wire.finish(truth) + wire.terminator(truth),
]
