/**
 * Files inside JSON. A long one is encoded as base64 piece by piece while it is sent, with a turn of the event loop in between: as one
 * string it would block the thread that carries streams. Until then a placeholder is in its place, a random text that nobody outside knows.
 */
import type { FinishedBytes } from '#relay/contract/large-body'
import type { Random } from '#runtime/clock'
import { sha256OfPieces } from '#runtime/secrets'
import { nextTurn } from '#runtime/turns'
import type { Payload, UpstreamRequest } from '#upstream/upstream'
import { jsonPayload } from './json-payload.ts'

export interface LongFile {
  /** Bytes. */
  size: number
  /** Reads it from the start, at every call. */
  open(): AsyncIterable<Uint8Array>
}

/** The long files of one request. */
export interface LongFiles {
  /** Returns the placeholder for the base64 of this file. */
  mark(file: LongFile): string
  /** The length in bytes of a JSON text with its files inserted. */
  lengthOf(text: string): number
  /** The request with its files inserted, hashed if it will be signed. Rejects as reading the files does. */
  placed(request: UpstreamRequest): Promise<UpstreamRequest>
  /** The same for JSON bytes, hashed again if they had a hash. Rejects likewise. */
  payload(written: FinishedBytes): Promise<Payload>
}

/** Bytes of one piece of base64, and of the file that becomes it. */
const pieceBytes = 256 * 1024
const stepBytes = (pieceBytes / 4) * 3

/** Characters of base62. */
const secretLength = 24
const indexLength = 3

const encoder = new TextEncoder()

export function longFiles(random: Pick<Random, 'base62'>): LongFiles {
  const files: LongFile[] = []
  let secret = ''

  /** The parts to send, in order. */
  function partsOf(bytes: Uint8Array): (Uint8Array | LongFile)[] {
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const parts: (Uint8Array | LongFile)[] = []
    let from = 0
    for (let at = nextMark(body, from); at !== -1; at = nextMark(body, from)) {
      const end = at + secretLength + indexLength
      const file = files[Number(body.toString('latin1', at + secretLength, end))]
      if (!file) throw new Error('a placeholder without a file')
      parts.push(bytes.subarray(from, at), file)
      from = end
    }
    return [...parts, bytes.subarray(from)]
  }

  const nextMark = (body: Buffer, from: number): number => (files.length === 0 ? -1 : body.indexOf(secret, from, 'latin1'))

  async function payload(written: FinishedBytes): Promise<Payload> {
    const parts = partsOf(written.bytes)
    if (parts.length === 1) return jsonPayload(written)
    return {
      ...(written.sha256 !== undefined && { sha256: await sha256OfPieces(piecesOf(parts)) }),
      type: 'application/json',
      length: lengthOf(parts),
      open: () => streamOf(piecesOf(parts)),
    }
  }

  return {
    mark(file) {
      if (files.length === 0) secret = random.base62(secretLength)
      files.push(file)
      return secret + String(files.length - 1).padStart(indexLength, '0')
    },
    lengthOf: (text) => (files.length === 0 ? Buffer.byteLength(text) : lengthOf(partsOf(encoder.encode(text)))),
    async placed(request) {
      const { body, credential } = request
      if (files.length === 0 || typeof body !== 'string' || !body.includes(secret)) return request
      const isHashed = credential?.scheme === 'sigv4'
      return { ...request, body: await payload({ bytes: encoder.encode(body), ...(isHashed && { sha256: '' }) }) }
    },
    payload,
  }
}

/** For places where every file is already short, as in the worker. A long one is a bug, and throws. */
export const noLongFiles = longFiles({
  base62() {
    throw new Error('a long file where only short ones are expected')
  },
})

const lengthOf = (parts: readonly (Uint8Array | LongFile)[]): number =>
  parts.reduce((sum, part) => sum + ('open' in part ? Math.ceil(part.size / 3) * 4 : part.length), 0)

async function* piecesOf(parts: readonly (Uint8Array | LongFile)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if ('open' in part) yield* base64Of(part.open())
    else yield* slicesOf(part)
  }
}

async function* slicesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (at > 0) await nextTurn()
    yield bytes.subarray(at, at + pieceBytes)
  }
}

async function* base64Of(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array()
  for await (const piece of file) {
    for (let at = 0; at < piece.length; at += stepBytes - 2) {
      const bytes = Buffer.concat([rest, piece.subarray(at, at + stepBytes - 2)])
      // Three bytes are four characters.
      const whole = bytes.length - (bytes.length % 3)
      if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1')
      rest = bytes.subarray(whole)
      await nextTurn()
    }
  }
  if (rest.length > 0) yield encoder.encode(Buffer.from(rest).toString('base64'))
}

function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => pieces.return(undefined).then(() => undefined),
    },
    { highWaterMark: 0 },
  )
}
