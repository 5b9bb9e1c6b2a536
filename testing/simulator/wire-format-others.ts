/** The wire formats of Anthropic's Messages and of Google's generateContent and embedContent. */
import type { Answer, Refused } from './script.ts'
import { sse, type WireFormat } from './wire-format.ts'
import { vectorOf } from './wire-format-openai.ts'

const kinds: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

const refusal = (status: number, why: Refused) => {
  const message = why === 'context' ? 'prompt is too long: 9 tokens > 8 maximum' : 'no'
  return { type: 'error', error: { type: kinds[status] ?? 'api_error', message } }
}

const stopReasons = { stop: 'end_turn', length: 'max_tokens', filter: 'refusal' } as const

function messagesFrames(answer: Answer, words: readonly string[]): string[] {
  const event = (type: string, fields: object) => sse({ type, ...fields }, type)
  const { usage } = answer
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'deep', content: [], stop_reason: null, stop_sequence: null }
  return [
    event('message_start', { message: { ...message, ...(usage && { usage: { input_tokens: usage.in, output_tokens: 1 } }) } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    ...words.map((text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
    event('content_block_stop', { index: 0 }),
    event('message_delta', {
      delta: { stop_reason: stopReasons[answer.finish], stop_sequence: null },
      ...(usage && { usage: { output_tokens: usage.out } }),
    }),
    ...(answer.terminator ? [event('message_stop', {})] : []),
  ]
}

export const messages: WireFormat = {
  frames: messagesFrames,
  whole: ({ usage, finish }, words) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'deep',
    content: [{ type: 'text', text: words.join('') }],
    stop_reason: stopReasons[finish],
    stop_sequence: null,
    ...(usage && { usage: { input_tokens: usage.in, output_tokens: usage.out } }),
  }),
  refusal,
  failure: sse(refusal(529, 'fault'), 'error'),
  finish: /"stop_reason":"/,
  figures: 'output_tokens',
}

const finishReasons = { stop: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY' } as const
const statusWords: Readonly<Record<number, string>> = { 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 429: 'RESOURCE_EXHAUSTED' }

const googleRefusal = (status: number, why: Refused) => {
  const message = why === 'context' ? 'The input token count (9) exceeds the maximum number of tokens allowed (8).' : 'no'
  return { error: { code: status, message, status: statusWords[status] ?? 'UNAVAILABLE' } }
}

const candidate = (text: string, finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] }, ...(finishReason && { finishReason }) }],
  modelVersion: 'deep',
})

const figuresOf = ({ usage }: Answer) =>
  usage && {
    usageMetadata: { promptTokenCount: usage.in, candidatesTokenCount: usage.out, totalTokenCount: usage.in + usage.out },
  }

export const gemini: WireFormat = {
  frames: (answer, words) => [
    // Every event reports prompt tokens, only the last one reports output tokens.
    ...words.map((word) => sse({ ...candidate(word), ...(answer.usage && { usageMetadata: { promptTokenCount: answer.usage.in } }) })),
    sse({ ...candidate('', finishReasons[answer.finish]), ...figuresOf(answer) }),
  ],
  whole: (answer, words) => ({ ...candidate(words.join(''), finishReasons[answer.finish]), ...figuresOf(answer) }),
  refusal: googleRefusal,
  failure: sse(googleRefusal(503, 'fault')),
  finish: /"finishReason":"/,
  figures: 'candidatesTokenCount',
}

export const embedContent: WireFormat = {
  frames: () => [],
  whole({ usage }, words) {
    const embeddings = words.map((word) => ({ values: vectorOf(word) }))
    return { embeddings, ...(usage && { usageMetadata: { promptTokenCount: usage.in } }) }
  },
  refusal: googleRefusal,
  failure: '',
  finish: /^/,
  figures: 'promptTokenCount',
}
