/** The bytes of a simulated answer in the two dialects that the simulator's upstreams speak. Knows nothing of the codecs. */
import type { Answer } from './script.ts'

export type Spoken = 'chat' | 'messages'

/** Words that name their attempt: what arrives tells who said it. */
export const wordsOf = (attempt: number, count: number): string[] => Array.from({ length: count }, (_, index) => `<${attempt}.${index}>`)

const sse = (data: object | string, event?: string): string =>
  `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

const chatUsage = ({ usage }: Answer) =>
  usage && { prompt_tokens: usage.in, completion_tokens: usage.out, total_tokens: usage.in + usage.out }

function chatFrames(answer: Answer, words: readonly string[]): string[] {
  const chunk = (fields: object) => sse({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'deep', ...fields })
  const choice = (delta: object, finish: string | null) => chunk({ choices: [{ index: 0, delta, finish_reason: finish }] })
  const usage = chatUsage(answer)
  return [
    choice({ role: 'assistant', content: '' }, null),
    ...words.map((content) => choice({ content }, null)),
    choice({}, answer.finish),
    ...(usage ? [chunk({ choices: [], usage })] : []),
    ...(answer.terminator ? [sse('[DONE]')] : []),
  ]
}

const stopReason = ({ finish }: Answer) => (finish === 'stop' ? 'end_turn' : 'max_tokens')

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
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      ...(usage && { usage: { output_tokens: usage.out } }),
    }),
    ...(answer.terminator ? [event('message_stop', {})] : []),
  ]
}

const kinds: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

export const refusalText = (spoken: Spoken, status: number): string => {
  const error = { type: kinds[status] ?? 'api_error', message: 'no', code: null }
  return JSON.stringify(spoken === 'chat' ? { error } : { type: 'error', error })
}

/** A stream as frames, its fault in its place. */
export function framesOf(spoken: Spoken, answer: Answer, words: readonly string[]): string[] {
  const frames = spoken === 'chat' ? chatFrames(answer, words) : messagesFrames(answer, words)
  const { fault } = answer
  if (!fault || fault.at >= frames.length) return frames
  if (fault.what === 'garbage') return [...frames.slice(0, fault.at), 'data: {"choices": [nonsense\n\n', ...frames.slice(fault.at)]
  return [...frames.slice(0, fault.at), sse(refusalText(spoken, 529), spoken === 'chat' ? undefined : 'error')]
}

/** An answer that is not streamed. */
export function wholeText(spoken: Spoken, answer: Answer, words: readonly string[]): string {
  const text = words.join('')
  if (spoken === 'chat') {
    const choice = { index: 0, message: { role: 'assistant', content: text }, finish_reason: answer.finish }
    const usage = chatUsage(answer)
    return JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'deep',
      choices: [choice],
      ...(usage && { usage }),
    })
  }
  const { usage } = answer
  return JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'deep',
    content: [{ type: 'text', text }],
    stop_reason: stopReason(answer),
    stop_sequence: null,
    ...(usage && { usage: { input_tokens: usage.in, output_tokens: usage.out } }),
  })
}
