/**
 * The fastest upstream that can be: fixed answers in Chat Completions form, nothing read but whether a stream is asked for.
 * Run as a process of its own; prints its port. A stream has `events` events, one every `paceMs`.
 */
export const events = 100
export const paceMs = 5

const json = { 'content-type': 'application/json' }
const sse = { 'content-type': 'text/event-stream' }
const base = { id: 'chatcmpl-bench', created: 1, model: 'bench-model' }
const usage = { prompt_tokens: 20, completion_tokens: events, total_tokens: 20 + events }
const message = { role: 'assistant', content: 'Sixteen words of plain text stand here so that the answer has about the usual length.' }
const whole = JSON.stringify({ ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage })

const line = (data: object) => `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', ...data })}\n\n`
const word = line({ choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }] })
const last = line({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
const count = line({ choices: [], usage })

const bytes = (text: string) => new TextEncoder().encode(text)
const wordBytes = bytes(word)

function stream(withUsage: boolean): Response {
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sent > 0) await Bun.sleep(paceMs)
      sent += 1
      controller.enqueue(sent < events ? wordBytes : bytes(`${last}${withUsage ? count : ''}data: [DONE]\n\n`))
      if (sent === events) controller.close()
    },
  })
  return new Response(body, { headers: sse })
}

if (import.meta.main) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const text = await request.text()
      return text.includes('"stream":true') ? stream(text.includes('"include_usage":true')) : new Response(whole, { headers: json })
    },
  })
  console.log(server.port)
}
