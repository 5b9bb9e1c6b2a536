/** POST /pg/chat/completions with the session cookie: the one call that streams. Events keep their exact bytes. */
import { createSseSplitter, type Frame } from '#shared/sse'
import { ApiError, readError, send } from './http.ts'

/** A response the server has committed to: its head, and its stream or JSON body. */
export interface ChatAnswer {
  status: number
  requestId: string | null
  headers: [name: string, value: string][]
  /** What the conversion between protocols lost, as the server lists it: `field:what`. */
  losses: string | null
  /** Frames of a stream, or undefined when the response is one JSON body. Throws ApiError `connection_lost` when the stream breaks. */
  frames: AsyncGenerator<Frame[]> | undefined
  /** The parsed body of a response that is not a stream. */
  body(): Promise<unknown>
}

/**
 * Sends `body` (JSON text) and resolves once the server has committed to a response. Throws ApiError for a refusal, or the
 * abort reason when aborted.
 */
export async function openChat(body: string, signal: AbortSignal): Promise<ChatAnswer> {
  const response = await send('POST', '/pg/chat/completions', body, signal)
  if (!response.ok) throw await readError(response)
  const streams = (response.headers.get('content-type') ?? '').includes('text/event-stream')
  return {
    status: response.status,
    requestId: response.headers.get('x-request-id'),
    headers: [...response.headers],
    losses: response.headers.get('x-parley-losses'),
    frames: streams && response.body ? framesOf(response.body, signal) : undefined,
    body: () => response.json(),
  }
}

async function* framesOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Frame[]> {
  const reader = body.getReader()
  const splitter = createSseSplitter()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const frames = done ? splitter.end() : splitter.push(value)
      if (frames.length > 0) yield frames
      if (done) return
    }
  } catch (thrown) {
    if (signal.aborted) throw thrown
    throw new ApiError('The connection was lost.', { status: 0, code: 'connection_lost' })
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
