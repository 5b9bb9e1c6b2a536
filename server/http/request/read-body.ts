/** Request bodies as bytes and text. The size limit also holds when the sender declares no length or sends slowly. */
import type { Clock, Timer } from '#runtime/clock'
import { GatewayError } from '#shared/errors'

/** Milliseconds that a whole body may take. The server's idle timer is off on slow routes, so this limit applies instead. */
const bodyTime = 120_000

const tooLarge = (maxBytes: number) => new GatewayError('request_too_large', `The request body is larger than ${maxBytes} bytes.`)

/**
 * The whole body. Throws `request_too_large` as soon as it exceeds `maxBytes`, `body_timeout` when it is not complete after
 * 120 seconds or nothing arrives for `idleMs` (only with a clock), and `client_closed_request` when the sender disconnects.
 */
export async function readBody(request: Request, maxBytes: number, clock?: Clock, idleMs = bodyTime): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const piece of bodyPieces(request, { maxBytes, clock, timeMs: bodyTime, idleMs })) {
    length += piece.length
    chunks.push(piece)
  }
  return join(chunks, length)
}

/** Limits on reading a body. */
export interface BodyLimits {
  maxBytes: number
  /** Absent: no time limits. */
  clock: Clock | undefined
  timeMs: number
  /** Milliseconds without any data before it is refused. */
  idleMs: number
}

/** The body chunk by chunk, with backpressure on the sender. Throws as `readBody` does. */
export async function* bodyPieces(request: Request, { maxBytes, clock, timeMs, idleMs }: BodyLimits): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.body === null) return
  const reader: Reader = request.body.getReader()
  const cancel = () => void reader.cancel().catch(() => undefined)
  let late = false
  const begunAt = clock?.monotonic() ?? 0
  let heardAt = begunAt
  let timer: Timer | undefined
  // One timer that checks the elapsed time when it fires, instead of a new timer for every chunk.
  const watch = (time: Clock) => {
    const left = Math.min(begunAt + timeMs, heardAt + idleMs) - time.monotonic()
    if (left > 0) timer = time.after(left, () => watch(time))
    else {
      late = true
      cancel()
    }
  }
  if (clock) watch(clock)
  let length = 0
  let whole = false
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new GatewayError('client_closed_request', 'The connection closed before the request body was complete.', { cause })
      })
      if (late) throw new GatewayError('body_timeout', 'The request body did not arrive in time.')
      whole = done
      if (done) return
      length += value.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      yield value
      heardAt = clock?.monotonic() ?? 0
    }
  } finally {
    timer?.cancel()
    if (!whole) cancel()
  }
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Bytes as text without a byte order mark. Throws `invalid_json` when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new GatewayError('invalid_json', 'The request body is not valid UTF-8.')
  }
}
