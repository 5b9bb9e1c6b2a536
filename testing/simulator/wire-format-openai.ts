/** The wire formats of Chat, Responses and OpenAI embeddings. */
import type { Answer, Refused } from './script.ts'
import { sse, type WireFormat } from './wire-format.ts'

const kinds: Readonly<Record<number, string>> = { 400: 'invalid_request_error', 401: 'authentication_error', 429: 'rate_limit_error' }
const codes: Readonly<Record<Refused, string | null>> = { context: 'context_length_exceeded', filter: 'content_filter', fault: null }

const refusal = (status: number, why: Refused) => ({ error: { type: kinds[status] ?? 'api_error', message: 'no', code: codes[why] } })

const chatUsage = ({ usage }: Answer) =>
  usage && { prompt_tokens: usage.in, completion_tokens: usage.out, total_tokens: usage.in + usage.out }

const chatReason = ({ finish }: Answer) => (finish === 'filter' ? 'content_filter' : finish)

function chatFrames(answer: Answer, words: readonly string[]): string[] {
  const chunk = (fields: object) => sse({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'deep', ...fields })
  const choice = (delta: object, finish: string | null) => chunk({ choices: [{ index: 0, delta, finish_reason: finish }] })
  const usage = chatUsage(answer)
  return [
    choice({ role: 'assistant', content: '' }, null),
    ...words.map((content) => choice({ content }, null)),
    choice({}, chatReason(answer)),
    ...(usage ? [chunk({ choices: [], usage })] : []),
    ...(answer.terminator ? [sse('[DONE]')] : []),
  ]
}

export const chat: WireFormat = {
  frames: chatFrames,
  whole(answer, words) {
    const choice = { index: 0, message: { role: 'assistant', content: words.join('') }, finish_reason: chatReason(answer) }
    const usage = chatUsage(answer)
    return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'deep', choices: [choice], ...(usage && { usage }) }
  },
  refusal,
  failure: sse(refusal(529, 'fault')),
  finish: /"finish_reason":"/,
  figures: 'completion_tokens',
}

const reasons: Readonly<Record<Answer['finish'], string | undefined>> = {
  stop: undefined,
  length: 'max_output_tokens',
  filter: 'content_filter',
}

function response(answer: Answer, words: readonly string[]) {
  const { usage } = answer
  const reason = reasons[answer.finish]
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [outputText(words.join(''))] }
  return {
    object: 'response',
    status: reason ? 'incomplete' : 'completed',
    id: 'resp_1',
    created_at: 1,
    model: 'deep',
    ...(reason && { incomplete_details: { reason } }),
    output: words.length > 0 ? [message] : [],
    ...(usage && { usage: { input_tokens: usage.in, output_tokens: usage.out, total_tokens: usage.in + usage.out } }),
  }
}

const outputText = (text: string) => ({ type: 'output_text', text, annotations: [] })

function responsesFrames(answer: Answer, words: readonly string[]): string[] {
  let sequence = 0
  const event = (type: string, fields: object) => sse({ type, sequence_number: sequence++, ...fields }, type)
  const whole = response(answer, words)
  const begun = { object: 'response', status: 'in_progress', id: 'resp_1', created_at: 1, model: 'deep', output: [] }
  const [item] = whole.output
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const created = [event('response.created', { response: begun })]
  const said = item
    ? [
        event('response.output_item.added', { output_index: 0, item: { ...item, content: [] } }),
        event('response.content_part.added', { ...place, part: outputText('') }),
        ...words.map((delta) => event('response.output_text.delta', { ...place, delta })),
        event('response.output_item.done', { output_index: 0, item }),
      ]
    : []
  return [...created, ...said, ...(answer.terminator ? [event(`response.${whole.status}`, { response: whole })] : [])]
}

export const responses: WireFormat = {
  frames: responsesFrames,
  whole: response,
  refusal,
  failure: sse({ type: 'error', sequence_number: 99, code: 'server_error', message: 'no', param: null }, 'error'),
  // In the last event of a stream, or in a whole answer.
  finish: /"type":"response\.(?:completed|incomplete)"|^\{"object":"response","status":"(?:completed|incomplete)"/,
  figures: 'output_tokens',
}

/** A vector that encodes its word in its first two numbers. */
export const vectorOf = (word: string): number[] => [...(word.match(/\d+/g) ?? []).map(Number), 0.5]

export const embeddings: WireFormat = {
  frames: () => [],
  whole: ({ usage }, words) => ({
    object: 'list',
    model: 'deep',
    data: words.map((word, index) => ({ object: 'embedding', index, embedding: vectorOf(word) })),
    ...(usage && { usage: { prompt_tokens: usage.in, total_tokens: usage.in } }),
  }),
  refusal,
  failure: '',
  finish: /^/,
  figures: 'prompt_tokens',
}
