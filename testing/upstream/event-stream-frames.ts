/** Amazon's binary event stream, written from its documentation, apart from the reader. */
import { crc32 } from 'node:zlib'

/** One message; every header is text (type 7). */
export function eventStreamMessage(headers: Record<string, string>, payload: string): Buffer {
  const parts = Object.entries(headers).flatMap(([name, value]) => {
    const size = Buffer.alloc(2)
    size.writeUInt16BE(Buffer.byteLength(value))
    return [Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([7]), size, Buffer.from(value)]
  })
  const head = Buffer.concat(parts)
  const body = Buffer.from(payload)
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(16 + head.length + body.length, 0)
  prelude.writeUInt32BE(head.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const open = Buffer.concat([prelude, head, body])
  const end = Buffer.alloc(4)
  end.writeUInt32BE(crc32(open))
  return Buffer.concat([open, end])
}

/** An event as Converse sends it: its kind in a header, its fields in the payload, padded. */
export const converseEvent = (type: string, fields: object): Buffer =>
  eventStreamMessage(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ ...fields, p: 'abcdefgh' }),
  )
