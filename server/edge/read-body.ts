/** Request bodies as bytes and text, with a hard limit that also holds when the sender names no length or drips. */
import type { Clock } from '#runtime/clock'
import { GatewayError } from '#shared/errors'

/** How long a whole body may take, in milliseconds. The server's idle timer is off on slow routes, so this one must hold. */
const bodyTime = 120_000

const tooLarge = (maxBytes: number) => new GatewayError('request_too_large', `The request body is larger than ${maxBytes} bytes.`)

/**
 * The whole body. Throws `request_too_large` as soon as it is known to be longer than `maxBytes`, `body_timeout` when it is
 * not complete after 120 seconds (only with a clock), `client_closed_request` when the sender goes away.
 */
export async function readBody(request: Request, maxBytes: number, clock?: Clock): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.body === null) return new Uint8Array()
  const reader: Reader = request.body.getReader()
  let late = false
  const timer = clock?.after(bodyTime, () => {
    late = true
    void reader.cancel().catch(() => undefined)
  })
  try {
    const bytes = await collect(reader, maxBytes)
    if (late) throw new GatewayError('body_timeout', 'The request body did not arrive in time.')
    return bytes
  } finally {
    timer?.cancel()
  }
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>

async function collect(reader: Reader, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new GatewayError('client_closed_request', 'The request body broke off.', { cause })
    })
    if (done) return join(chunks, length)
    length += value.length
    if (length > maxBytes) {
      void reader.cancel().catch(() => undefined)
      throw tooLarge(maxBytes)
    }
    chunks.push(value)
  }
}

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
