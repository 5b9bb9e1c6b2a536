/** One kept request as bytes: a head that says what is there, and the bodies behind it. Values in, values out. */
import type { Border } from '#shared/console/body'

/** One body at one border. */
export interface PartHead {
  border: Border
  /** Which call of an upstream it belongs to, from 0; absent at the client's side. */
  call?: number
  /** Whom the upstream request was for. */
  to?: { channel: string; model: string; dialect: string }
  method?: string
  /** Path and query of the client's request, whole address of the upstream's; no credential in it. */
  address?: string
  status?: number
  /** Without credentials: of other headers only the name is there. */
  headers: readonly (readonly [name: string, value: string])[]
  /** Milliseconds from the arrival of the request to its beginning. */
  atMs: number
  /** Where it came in pieces: for each of them where it ends and when it came, in bytes and milliseconds, one after the other. */
  pieces?: readonly number[]
  /** One direction of a session: every piece is a frame and a line feed behind it, or nothing where the frame is not kept. */
  frames?: true
  /** Bytes of the body. */
  bytes: number
  /** Bytes of frames that are not kept, since there was no room for them. */
  leftBytes?: number
  /** The body is not here: it was larger than what is kept. */
  leftOut?: true
  /** Something in it was blanked before it was written. */
  redacted?: true
  /** The code of the error that ended it before its end. */
  broken?: string
}

/** What is known of a request beside its bodies. */
export interface RecordFacts {
  requestId: string
  /** Milliseconds since the epoch. */
  at: number
  userId: string
  /** Where a team pays: whose request it is, as the id of a place in the team. */
  memberId?: string | null
  keyId: string | null
}

/** A kept request. */
export interface KeptRecord extends RecordFacts {
  parts: readonly (PartHead & { body: Uint8Array })[]
}

interface Written extends RecordFacts {
  version: 1
  parts: readonly PartHead[]
}

const lengthBytes = 4

/** The record as bytes. */
export function encodeRecord({ parts, ...facts }: KeptRecord): Uint8Array {
  const written: Written = { version: 1, ...facts, parts: parts.map(({ body: _, ...head }) => head) }
  const head = Buffer.from(JSON.stringify(written), 'utf8')
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(head.length)
  return Buffer.concat([length, head, ...parts.map(({ body }) => body)])
}

/** The record in these bytes; undefined when they are none that this version knows. */
export function decodeRecord(bytes: Uint8Array): KeptRecord | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.length < lengthBytes) return undefined
  const headEnd = lengthBytes + view.readUInt32LE()
  if (view.length < headEnd) return undefined
  const written = JSON.parse(view.toString('utf8', lengthBytes, headEnd)) as Written
  if (written.version !== 1) return undefined
  let at = headEnd
  const parts = written.parts.map((head) => {
    const end = at + (head.leftOut ? 0 : head.bytes)
    const body = bytes.subarray(at, end)
    at = end
    return { ...head, body }
  })
  const { version: _, parts: __, ...facts } = written
  return at === view.length ? { ...facts, parts } : undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The body as text; undefined for what is none. */
export function textOf(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body)
  } catch {
    return undefined
  }
}

/**
 * One line of JSON with its line feed: the fields of `head`, which is a JSON object without its closing brace, and the parts at these
 * borders, each with its body as `text`, or as `base64` where it is no text. Without a record there are no parts.
 */
export function recordLine(head: string, record: KeptRecord | undefined, chosen: readonly Border[]): Uint8Array<ArrayBuffer> {
  const parts = record?.parts.filter(({ border }) => chosen.includes(border)).map(lineOf)
  return new TextEncoder().encode(`${head}${parts ? `,"parts":${JSON.stringify(parts)}` : ''}}\n`)
}

function lineOf({ body, ...head }: KeptRecord['parts'][number]) {
  if (head.leftOut) return head
  const text = textOf(body)
  return text === undefined ? { ...head, base64: Buffer.from(body).toString('base64') } : { ...head, text }
}
