/**
 * WebSocket frames as bytes (RFC 6455 section 5), for both ends of a connection that may break any rule: the scripted upstream and a raw
 * client. No WebSocket library is involved, so what is read here is what was really sent.
 */
import { createHash } from 'node:crypto'

export const opcodes = { more: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

/** One frame as received. */
export interface WireFrame {
  opcode: number
  /** The last frame of its message. */
  last: boolean
  payload: Buffer
}

interface Framing {
  opcode?: number
  /** False: the message continues in further frames. */
  last?: boolean
  /** Sets the compression bit. */
  compressed?: boolean
  /** Masked, as clients must. */
  masked?: boolean
  /** The length in the header, if not the true one. */
  claims?: number
}

/** One frame; text by default. */
export function frameBytes(payload: string | Uint8Array, framing: Framing = {}): Buffer {
  const { opcode = opcodes.text, last = true, compressed = false, masked = false } = framing
  const bytes = Buffer.from(payload)
  const length = framing.claims ?? bytes.length
  const size = length < 126 ? Buffer.of(length) : length < 65_536 ? Buffer.alloc(3, 126) : Buffer.alloc(9, 127)
  if (size.length === 3) size.writeUInt16BE(length, 1)
  if (size.length === 9) size.writeBigUInt64BE(BigInt(length), 1)
  if (masked) size[0] = (size[0] ?? 0) | 0x80
  const first = (last ? 0x80 : 0) | (compressed ? 0x40 : 0) | opcode
  // A mask of zeros changes nothing.
  return Buffer.concat([Buffer.of(first), size, Buffer.alloc(masked ? 4 : 0), bytes])
}

/** A close frame with this code. */
export const closeBytes = (code: number, framing: Framing = {}): Buffer =>
  frameBytes(Buffer.of(code >> 8, code & 255), { ...framing, opcode: opcodes.close })

/** A parser: takes bytes and answers the frames that are complete. */
export function frameReader(): (bytes: Uint8Array) => WireFrame[] {
  let rest = Buffer.alloc(0)
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    const frames: WireFrame[] = []
    for (let one = firstOf(rest); one; one = firstOf(rest)) {
      frames.push(one.frame)
      rest = rest.subarray(one.size)
    }
    return frames
  }
}

function firstOf(bytes: Buffer): { frame: WireFrame; size: number } | undefined {
  const [first = 0, second = 0] = bytes
  const short = second & 0x7f
  const isMasked = second >= 0x80
  const sized = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0)
  const begin = sized + (isMasked ? 4 : 0)
  if (bytes.length < begin) return undefined
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  if (bytes.length < begin + length) return undefined
  const mask = isMasked ? bytes.subarray(sized, begin) : Buffer.alloc(4)
  const payload = Buffer.from(bytes.subarray(begin, begin + length)).map((byte, index) => byte ^ (mask[index % 4] ?? 0))
  return { frame: { opcode: first & 15, last: first >= 0x80, payload: Buffer.from(payload) }, size: begin + length }
}

/** The Sec-WebSocket-Accept value for a key (section 4.2.2). */
export const acceptOf = (key: string): string => createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
