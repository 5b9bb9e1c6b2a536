/** Parses HTTP/1.1 requests from raw bytes, preserving order, case and the exact body. Supports only what a scripted upstream needs. */

/** One request as it arrived. */
export interface ReceivedRequest {
  /** Numbered from 0 for each upstream. */
  readonly number: number
  /** The TCP connection that it arrived on, from 0. */
  readonly connection: number
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  /** In order and in the case in which they were sent. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
  /** The value of a header in any case; several are joined by `, `. */
  header(name: string): string | undefined
  text(): string
  json(): unknown
}

/**
 * A parser for one connection: `push` takes bytes and yields the requests that are complete. `number` gives the next request its number.
 */
export function requestReader(connection: number): { push(bytes: Uint8Array, number: () => number): Generator<ReceivedRequest> } {
  let buffered = Buffer.alloc(0)
  /** Bytes received since, while a long body of known length is incomplete: joining them each time would be quadratic. */
  let waiting: Uint8Array[] = []
  let missing = 0

  return {
    *push(bytes, number) {
      waiting.push(bytes)
      missing -= bytes.length
      if (missing > 0) return
      buffered = Buffer.concat([buffered, ...waiting])
      waiting = []
      for (;;) {
        const headEnd = buffered.indexOf('\r\n\r\n')
        if (headEnd === -1) return
        const [line = '', ...fields] = buffered.subarray(0, headEnd).toString('latin1').split('\r\n')
        const headers = fields.map((field) => {
          const colon = field.indexOf(':')
          return [field.slice(0, colon), field.slice(colon + 1).trim()] as const
        })
        const body = bodyFrom(buffered.subarray(headEnd + 4), headers)
        if (body === undefined) {
          missing = headEnd + 4 + Number(headerOf(headers, 'content-length') ?? 0) - buffered.length
          return
        }
        buffered = buffered.subarray(headEnd + 4 + body.consumed)
        const [method = '', target = ''] = line.split(' ')
        yield received({ number: number(), connection, method, target, headers, body: body.bytes })
      }
    },
  }
}

function received(fields: Omit<ReceivedRequest, 'header' | 'text' | 'json'>): ReceivedRequest {
  const text = () => new TextDecoder().decode(fields.body)
  return {
    ...fields,
    header: (name) => headerOf(fields.headers, name),
    text,
    json: () => JSON.parse(text()),
  }
}

function headerOf(headers: ReceivedRequest['headers'], name: string): string | undefined {
  const values = headers.filter(([other]) => other.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
  return values.length === 0 ? undefined : values.join(', ')
}

/** The body and its size on the wire in bytes, or undefined while it is incomplete. */
function bodyFrom(bytes: Buffer, headers: ReceivedRequest['headers']): { bytes: Uint8Array; consumed: number } | undefined {
  if (headerOf(headers, 'transfer-encoding')?.toLowerCase() === 'chunked') return chunkedFrom(bytes)
  const length = Number(headerOf(headers, 'content-length') ?? 0)
  return bytes.length < length ? undefined : { bytes: new Uint8Array(bytes.subarray(0, length)), consumed: length }
}

function chunkedFrom(bytes: Buffer): { bytes: Uint8Array; consumed: number } | undefined {
  const pieces: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16)
    const next = lineEnd + 2 + size + 2
    if (bytes.length < next) return undefined
    if (size === 0) return { bytes: Uint8Array.from(Buffer.concat(pieces)), consumed: next }
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = next
  }
}
