/**
 * The minimum cost of a gateway on this runtime: `Bun.serve`, Parley's upstream client, and nothing between. Its arguments: the port to
 * listen on, and the provider's.
 */
import { systemClock } from '#runtime/clock'
import { createHttpClient } from '#runtime/http-client'

const [port = 0, providerPort = 0] = process.argv.slice(2).map(Number)
const provider = `http://127.0.0.1:${providerPort}`
const client = createHttpClient(systemClock)
type Answer = Awaited<ReturnType<typeof client.send>>

/** A signal that never aborts. */
const signal = {
  ...{ aborted: false, reason: undefined },
  ...{ throwIfAborted: () => undefined, addEventListener: () => undefined, removeEventListener: () => undefined },
}

/** The body as it arrives, one piece for each read of the client. */
function passed(answer: Answer): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const piece = await answer.read()
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
    cancel: () => answer.cancel(),
  })
}

Bun.serve({
  port,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  async fetch(request) {
    const body = await request.text()
    const answer = await client.send({
      method: 'POST',
      url: provider + new URL(request.url).pathname,
      headers: [
        ['content-type', 'application/json'],
        ['authorization', 'Bearer upstream'],
        ['content-length', String(Buffer.byteLength(body))],
      ],
      ...{ body, fresh: false, signal, connected: () => undefined },
    })
    const type = answer.headers.get('content-type') ?? ''
    const whole = answer.headers.has('content-length')
    return new Response(whole ? ((await answer.readAll()) as Uint8Array<ArrayBuffer>) : passed(answer), {
      status: answer.status,
      headers: { 'content-type': type },
    })
  },
})
