/** Writes messages of Amazon's binary event stream, as `event-stream.ts` reads them. */
import { crc32 } from 'node:zlib'

const encoder = new TextEncoder()
/** The type of a header whose value is text. */
const text = 7

/** One message with these headers, names of at most 255 bytes, and this payload. */
export function eventStreamMessage(headers: Readonly<Record<string, string>>, payload: string): Uint8Array {
  const body = encoder.encode(payload)
  const head = Buffer.concat(Object.entries(headers).flatMap(([name, value]) => headerOf(encoder.encode(name), encoder.encode(value))))
  const message = Buffer.alloc(16 + head.length + body.length)
  message.writeUInt32BE(message.length, 0)
  message.writeUInt32BE(head.length, 4)
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8)
  message.set(head, 12)
  message.set(body, 12 + head.length)
  message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4)
  return message
}

const headerOf = (name: Uint8Array, value: Uint8Array): Uint8Array[] => [
  Uint8Array.of(name.length),
  name,
  Uint8Array.of(text, value.length >> 8, value.length & 0xff),
  value,
]
