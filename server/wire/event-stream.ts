/**
 * Decodes Amazon's binary event stream (`application/vnd.amazon.eventstream`) into server-sent events, so that inside Parley streams
 * have one framing only. Each message has lengths, headers, a payload and two checksums, all big-endian; both checksums are verified.
 * A message of type `event` whose payload is `{"bytes": BASE64}` is unwrapped, any other is named by its header (Converse); one of type
 * `exception` ends the stream.
 *
 * Read: https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html and the reference of InvokeModelWithResponseStream.
 */
import { crc32 } from 'node:zlib'
import { type ErrorCode, GatewayError } from '#shared/errors'
import { isObject } from '#shared/json'
import { type Frame, mostFrameBytes, type SseSplitter } from '#shared/sse'

/** Bytes of the two lengths and their checksum. */
const preludeBytes = 12
/** Bytes of the prelude and the final checksum. */
const overheadBytes = preludeBytes + 4
/** Bytes of a header value by type; strings and byte arrays carry their length instead. */
const fixedBytes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }
const byteArray = 6
const string = 7

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const nothing = new Uint8Array(0)

const broken = () => new GatewayError('upstream_error', 'The upstream sent a corrupt event stream.')
const tooLarge = () => new GatewayError('upstream_error', 'The upstream sent an event that is larger than Parley accepts.')

/** Exceptions that the service reports in the stream; any other is the upstream's fault. */
const exceptions: Readonly<Record<string, ErrorCode>> = {
  throttlingException: 'upstream_rate_limited',
  modelTimeoutException: 'upstream_timeout',
  validationException: 'upstream_rejected',
}

/**
 * Splits a chunked stream into frames. Throws GatewayError for a corrupt message, an exception of the service, a stream that ends
 * inside a message, and a message over `maxFrameBytes`; frames before the error are returned first.
 */
export function createEventStreamSplitter({ maxFrameBytes = mostFrameBytes }: { maxFrameBytes?: number } = {}): SseSplitter {
  // Bytes of the current message from earlier chunks, in one buffer that doubles, so that tiny chunks cost neither time nor objects.
  let held = nothing
  let heldBytes = 0
  let fault: unknown

  function keep(piece: Uint8Array): void {
    const size = heldBytes + piece.length
    if (size > held.length) {
      const grown = new Uint8Array(Math.max(size, held.length * 2, 1024))
      grown.set(held.subarray(0, heldBytes))
      held = grown
    }
    held.set(piece, heldBytes)
    heldBytes = size
  }

  /** Missing bytes of the current message, as far as its length is known. */
  function lacking(): number {
    if (heldBytes < preludeBytes) return preludeBytes - heldBytes
    return lengthOf(held.subarray(0, preludeBytes), maxFrameBytes) - heldBytes
  }

  function take(chunk: Uint8Array, frames: Frame[]): void {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + lacking())
      keep(piece)
      at += piece.length
      if (lacking() > 0) continue
      const frame = frameOf(held.subarray(0, heldBytes))
      heldBytes = 0
      if (frame) frames.push(frame)
    }
  }

  function push(chunk: Uint8Array): Frame[] {
    if (fault !== undefined) throw fault
    const frames: Frame[] = []
    try {
      take(chunk, frames)
    } catch (thrown) {
      fault = thrown
      if (frames.length === 0) throw thrown
    }
    return frames
  }

  function end(): Frame[] {
    if (fault !== undefined) throw fault
    if (heldBytes > 0) throw broken()
    return []
  }

  return { push, end }
}

/** The length of the whole message, from a prelude with a valid checksum. */
function lengthOf(prelude: Uint8Array, maxFrameBytes: number): number {
  const view = viewOf(prelude)
  if (crc32(prelude.subarray(0, 8)) !== view.getUint32(8)) throw broken()
  const total = view.getUint32(0)
  if (total < overheadBytes + view.getUint32(4)) throw broken()
  if (total > maxFrameBytes) throw tooLarge()
  return total
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function frameOf(message: Uint8Array): Frame | undefined {
  const view = viewOf(message)
  const end = message.length - 4
  if (crc32(message.subarray(0, end)) !== view.getUint32(end)) throw broken()
  const bodyAt = preludeBytes + view.getUint32(4)
  const headers = readHeaders(message.subarray(preludeBytes, bodyAt))
  const type = headers.get(':message-type')
  if (type === 'exception' || type === 'error') throw exceptionOf(headers.get(':exception-type') ?? '')
  return type === 'event' ? eventFrame(message.subarray(bodyAt, end), headers.get(':event-type')) : undefined
}

function exceptionOf(type: string): GatewayError {
  const code = Object.hasOwn(exceptions, type) ? exceptions[type] : undefined
  return new GatewayError(code ?? 'upstream_error', 'The upstream ended its answer with an error.')
}

/** The headers with text values. */
function readHeaders(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + 1 + (bytes[at] ?? 0)
    const type = bytes[nameEnd] ?? -1
    const hasLength = type === string || type === byteArray
    const valueAt = nameEnd + (hasLength ? 3 : 1)
    const size = hasLength ? (bytes[nameEnd + 1] ?? 0) * 256 + (bytes[nameEnd + 2] ?? 0) : fixedBytes[type]
    if (size === undefined || valueAt + size > bytes.length) throw broken()
    if (type === string)
      headers.set(decoder.decode(bytes.subarray(at + 1, nameEnd)), decoder.decode(bytes.subarray(valueAt, valueAt + size)))
    at = valueAt + size
  }
  return headers
}

/**
 * In JSON, line breaks occur only between tokens, where a space is equivalent. The name of a wrapped event is its own `type`; of others
 * it is in the header, where `initial-response` opens the stream and says nothing.
 */
function eventFrame(payload: Uint8Array, named: string | undefined): Frame | undefined {
  const text = decoder.decode(payload)
  const wrapped = fieldOf(text, 'bytes')
  if (wrapped === undefined && (named === undefined || named === 'chunk' || named === 'initial-response')) return undefined
  const data = (wrapped === undefined ? text : Buffer.from(wrapped, 'base64').toString('utf8')).replace(/[\r\n]+/g, ' ')
  const type = wrapped === undefined ? named : fieldOf(data, 'type')
  const event = type !== undefined && /^[\w.-]+$/.test(type) ? type : undefined
  return { raw: encoder.encode(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`), event, data }
}

/** A text field of a JSON object; undefined when it is not text. Throws when the input is not JSON. */
function fieldOf(json: string, name: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    throw broken()
  }
  const field = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return typeof field === 'string' ? field : undefined
}
