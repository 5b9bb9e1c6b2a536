/**
 * The fastest possible upstream: fixed responses in three dialects, which depend only on the path and on whether a stream is
 * requested. Runs as a process of its own and prints its port. A stream has `events` events, one every `paceMs`; a whole response
 * takes `waitMs`. All three can be given on the command line, in this order.
 */
export const events = 100
const [streamed = events, paceMs = 5, waitMs = 0] = import.meta.main ? process.argv.slice(2).map(Number) : []

const json = { 'content-type': 'application/json' }
const sse = { 'content-type': 'text/event-stream' }
const text = 'Sixteen words of plain text stand here so that the answer has about the usual length.'
const stamp = { id: 'chatcmpl-bench', created: 1, model: 'bench-model' }
const usage = { input: 20, output: events }

/** One dialect's fixed responses: whole, and the frames before, of and after `events - 1` words. */
interface Answers {
  whole: object
  before: object[]
  word: object
  after: object[]
  /** Whether events have names, as in Messages and Responses. */
  named: boolean
  end?: string
}

const chatChunk = (data: object) => ({ ...stamp, object: 'chat.completion.chunk', ...data })
const chatUsage = { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output }
const chat: Answers = {
  whole: {
    ...stamp,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: chatUsage,
  },
  before: [],
  word: chatChunk({ choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }] }),
  after: [chatChunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }), chatChunk({ choices: [], usage: chatUsage })],
  named: false,
  end: 'data: [DONE]\n\n',
}

const messageUsage = { input_tokens: usage.input, output_tokens: usage.output, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
const message = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'bench-model', stop_sequence: null }
const messages: Answers = {
  whole: { ...message, content: [{ type: 'text', text }], stop_reason: 'end_turn', usage: messageUsage },
  before: [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: { ...messageUsage, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ],
  word: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word ' } },
  after: [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: messageUsage },
    { type: 'message_stop' },
  ],
  named: true,
}

const geminiUsage = { promptTokenCount: usage.input, candidatesTokenCount: usage.output, totalTokenCount: usage.input + usage.output }
const candidate = (said: string, finish?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text: said }] }, ...(finish && { finishReason: finish }) }],
  usageMetadata: geminiUsage,
  modelVersion: 'bench-model',
})
const gemini: Answers = {
  whole: candidate(text, 'STOP'),
  before: [],
  word: candidate('word '),
  after: [candidate('', 'STOP')],
  named: false,
}

const frame = (data: object, named: boolean) => `${named && 'type' in data ? `event: ${data.type}\n` : ''}data: ${JSON.stringify(data)}\n\n`
const frames = (list: readonly object[], named: boolean) => list.map((data) => frame(data, named)).join('')
const bytes = (written: string) => new TextEncoder().encode(written)

/** A stream of `streamed` events: the words, the first together with the opening frames, and the end. */
function stream({ before, word, after, named, end = '' }: Answers): Response {
  const wordBytes = bytes(frame(word, named))
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent > 0) await Bun.sleep(paceMs)
      else if (before.length > 0) controller.enqueue(bytes(frames(before, named)))
      sent += 1
      controller.enqueue(sent < streamed ? wordBytes : bytes(frames(after, named) + end))
      if (sent === streamed) controller.close()
    },
  })
  return new Response(body, { headers: sse })
}

function answersOf(path: string): Answers {
  if (path.endsWith('/messages')) return messages
  return path.includes(':') ? gemini : chat
}

if (import.meta.main) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const answers = answersOf(pathname)
      const asked = await request.text()
      const streams = asked.includes('"stream":true') || pathname.endsWith(':streamGenerateContent')
      if (!streams && waitMs > 0) await Bun.sleep(waitMs)
      return streams ? stream(answers) : new Response(JSON.stringify(answers.whole), { headers: json })
    },
  })
  console.log(server.port)
}
