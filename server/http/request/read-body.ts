/** Request bodies as bytes and text, with a hard limit that also holds when the sender names no length or drips. */
import type { Clock, Timer } from '#runtime/clock'
import { GatewayError } from '#shared/errors'

/** How long a whole body may take, in milliseconds. The server's idle timer is off on slow routes, so this one must hold. */
const bodyTime = 120_000

const tooLarge = (maxBytes: number) => new GatewayError('request_too_large', `The request body is larger than ${maxBytes} bytes.`)

/**
 * The whole body. Throws `request_too_large` as soon as it is known to be longer than `maxBytes`, `body_timeout` when it is
 * not complete after 120 seconds, or silent for `idleMs` (only with a clock), `client_closed_request` when the sender goes away.
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

export interface BodyLimits {
  maxBytes: number
  /** Absent = it may take any time. */
  clock: Clock | undefined
  timeMs: number
  /** How long nothing of it may come. */
  idleMs: number
}

/** The body piece by piece; the sender waits while one is worked on. Throws as `readBody` does. */
export async function* bodyPieces(request: Request, { maxBytes, clock, timeMs, idleMs }: BodyLimits): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.body === null) return
  const reader: Reader = request.body.getReader()
  const cancel = () => void reader.cancel().catch(() => undefined)
  let late = false
  const begunAt = clock?.monotonic() ?? 0
  let heardAt = begunAt
  let timer: Timer | undefined
  // One timer that looks back when it fires, instead of a new timer for every piece that arrives.
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
        throw new GatewayError('client_closed_request', 'The request body broke off.', { cause })
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
