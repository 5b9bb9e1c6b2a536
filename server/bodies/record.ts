/** One kept request as bytes: a head that describes the content, followed by the bodies. Pure. */
import type { Border } from '#shared/console/body'

/** One body at one border. */
export interface PartHead {
  border: Border
  /** Index of the upstream call, from 0; absent on the client's side. */
  call?: number
  /** The addressee of the upstream request. */
  to?: { channel: string; model: string; dialect: string }
  method?: string
  /** Path and query of the client's request, whole URL of the upstream's; without credentials. */
  address?: string
  status?: number
  /** Without credentials: headers not known to be harmless have only their name. */
  headers: readonly (readonly [name: string, value: string])[]
  /** Milliseconds from the arrival of the request to the start of this body. */
  atMs: number
  /** Of a body in pieces: end offset (bytes) and arrival time (milliseconds) of each, alternating. */
  pieces?: readonly number[]
  /** One direction of a session: every piece is a frame followed by a line feed, or empty where the frame was not stored. */
  frames?: true
  /** Bytes of the body. */
  bytes: number
  /** Bytes of frames that were not stored for lack of room. */
  leftBytes?: number
  /** The body was too large to be stored. */
  leftOut?: true
  /** Part of it was blanked before it was written. */
  redacted?: true
  /** The code of the error that ended it early. */
  broken?: string
}

/** Facts of a request other than its bodies. */
export interface RecordFacts {
  requestId: string
  /** Milliseconds since the epoch. */
  at: number
  userId: string
  /** If a team pays: the member id of the sender. */
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

/** The record in these bytes; undefined when this version does not know the format. */
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

/** The body as text; undefined if it is not text. */
export function textOf(body: Uint8Array): string | undefined {
  try {
    return utf8.decode(body)
  } catch {
    return undefined
  }
}

/**
 * One line of JSON with its line feed: the fields of `head`, which is a JSON object without its closing brace, and the parts at these
 * borders, each with its body as `text`, or as `base64` where it is not text. Without a record there are no parts.
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
