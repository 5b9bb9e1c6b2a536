/**
 * Request bodies: as bytes, as text, and as JSON by complexity. The size limit also applies when the sender declares no length or sends
 * slowly. A large JSON body, of many bytes or many values, goes to a worker, so that it does not block other requests.
 */

import type { Capture } from '#bodies/capture'
import { fileMark } from '#canonical/kept-file'
import type { Body } from '#relay/contract/ask'
import type { BodyRoom } from '#relay/contract/body-rooms'
import { type LargeAsk, type LargeBodies, light, type WeighedPieces } from '#relay/contract/large-body'
import type { Clock, Timer } from '#runtime/clock'
import { nextTurn, turnEvery } from '#runtime/turns'
import { GatewayError } from '#shared/errors'
import { createJsonScale, type JsonBounds } from '#wire/json-weight'
import { forbidsStoring, mayForbidStoring } from './store-field.ts'

/** Timeout for a whole body, in milliseconds. The server's idle timer is off on slow routes, so this limit applies instead. */
export const bodyTimeMs = 120_000

/** Bytes: bodies up to this size are read in one piece when their length is declared, and JSON of this size is not weighed. */
const smallBody = 64 * 1024

const tooSlow = () => new GatewayError('body_timeout', 'The request body did not arrive in time.')
const senderLeft = (cause: unknown) =>
  new GatewayError('client_closed_request', 'The connection closed before the request body was complete.', { cause })
const tooLarge = (maxBytes: number) => new GatewayError('request_too_large', `The request body is larger than ${maxBytes} bytes.`)

/**
 * The whole body. Rejects with 415 when it is compressed, `request_too_large` as soon as it exceeds `maxBytes`, `body_timeout` when it is
 * not complete after 120 seconds or nothing arrives for `idleMs` (only with a clock; four times that for all of a small body), and
 * `client_closed_request` when the sender disconnects.
 */
export function readBody(request: Request, maxBytes: number, clock?: Clock, idleMs = bodyTimeMs): Promise<Uint8Array> {
  const declared = Number(request.headers.get('content-length') ?? Number.NaN)
  if (declared <= Math.min(smallBody, maxBytes)) return readSmallBody(request, clock, Math.min(bodyTimeMs, 4 * idleMs))
  return readAnyBody(request, { maxBytes, clock, timeMs: bodyTimeMs, idleMs })
}

async function readAnyBody(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const pieces = openBody(request, limits)
  const chunks: Uint8Array[] = []
  try {
    for (let piece = await pieces.next(); piece; piece = await pieces.next()) chunks.push(piece)
  } finally {
    pieces.close()
  }
  return join(chunks)
}

/** Read by the runtime in one piece, which is cheaper; it does not report partial arrival, so only the total time is limited. */
function readSmallBody(request: Request, clock: Clock | undefined, timeMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const coding = request.headers.get('content-encoding')
    if (coding !== null) demandPlain(coding)
    let isOver = false
    let timer: Timer | undefined
    request.bytes().then(
      (bytes) => {
        isOver = true
        timer?.cancel()
        resolve(bytes)
      },
      (cause: unknown) => {
        isOver = true
        timer?.cancel()
        reject(senderLeft(cause))
      },
    )
    // Nearly every body arrives with its head. Only others are timed: a timer costs more than the rest of this function.
    queueMicrotask(() => {
      if (!isOver) timer = clock?.after(timeMs, () => reject(tooSlow()))
    })
  })
}

/** Limits on reading a body. */
export interface BodyLimits {
  maxBytes: number
  /** Absent: no time limits. */
  clock: Clock | undefined
  timeMs: number
  /** Milliseconds without any data before it is refused. */
  idleMs: number
}

/** The body chunk by chunk, with backpressure on the sender. Throws as `readBody` does. */
export async function* bodyPieces(request: Request, limits: BodyLimits): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const pieces = openBody(request, limits)
  try {
    for (let piece = await pieces.next(); piece; piece = await pieces.next()) yield piece
  } finally {
    pieces.close()
  }
}

/** The same bytes in slices, with yields to others in between: bytes that were buffered arrive as one piece. */
export async function* inSlices(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += sliceBytes) {
      yield piece.subarray(at, at + sliceBytes)
      await nextTurn()
    }
  }
}

/** A body that is being read. */
interface Pieces {
  /** Undefined at the end. Rejects as `readBody` does. */
  next(): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Must be called, also after an error: stops the timer, and the sender if there is more to come. */
  close(): void
}

const nothing: Pieces = { next: async () => undefined, close: () => undefined }

/** Throws 415 for a compressed body, which is not supported. */
function demandPlain(coding: string): void {
  if (/^\s*(?:identity)?\s*$/i.test(coding)) return
  throw new GatewayError('unsupported_media_type', 'The body must not be compressed: send it without Content-Encoding.')
}

function openBody(request: Request, { maxBytes, clock, timeMs, idleMs }: BodyLimits): Pieces {
  const coding = request.headers.get('content-encoding')
  if (coding !== null) demandPlain(coding)
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (request.body === null) return nothing
  const reader: Reader = request.body.getReader()
  const cancel = () => void reader.cancel().catch(() => undefined)
  let late = false
  const begunAt = clock?.monotonic() ?? 0
  let lastDataAt = begunAt
  let timer: Timer | undefined
  // One timer that checks the elapsed time when it fires, instead of a new timer for every chunk.
  const watch = (time: Clock) => {
    const left = Math.min(begunAt + timeMs, lastDataAt + idleMs) - time.monotonic()
    if (left > 0) timer = time.after(left, () => watch(time))
    else {
      late = true
      cancel()
    }
  }
  if (clock) watch(clock)
  let length = 0
  let whole = false
  return {
    async next() {
      if (length > 0) lastDataAt = clock?.monotonic() ?? 0
      let piece: Awaited<ReturnType<Reader['read']>>
      try {
        piece = await reader.read()
      } catch (cause) {
        throw senderLeft(cause)
      }
      if (late) throw tooSlow()
      whole = piece.done
      if (piece.value === undefined) return undefined
      length += piece.value.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      return piece.value
    },
    close() {
      timer?.cancel()
      if (!whole) cancel()
    },
  }
}

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, 'read' | 'cancel'>

/** All chunks as one. */
export function join(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks)
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

const mebibyte = 1024 * 1024
/** Largest JSON body, in bytes. */
const mostBytes = 32 * mebibyte
/** Nesting as in CONTRACT section 5. No known request has a tenth of this number of values. */
const bounds: JsonBounds = { depth: 64, weight: 262_144 }
/** Bytes weighed between two yields to others. */
const sliceBytes = 256 * 1024

/** What reading a JSON body needs. */
export interface JsonServices {
  clock: Clock
  /** Milliseconds without any data before a body is refused. */
  idleMs: number
  large: LargeBodies
}

/** The sender of the body, and how to read it. */
export interface JsonSender {
  caller: string
  as: LargeAsk
  /** Grows with what arrives; absent: already counted. */
  room?: Pick<BodyRoom, 'grow'> | undefined
  /** Records the raw body. */
  capture?: Capture | undefined
}

const jsonType = /^(application\/json|[a-z0-9.+-]+\/[a-z0-9.+-]+\+json)\s*(;|$)/i

/** Throws 415 for a content type other than JSON; a missing one counts as JSON. */
export function demandJson(request: Request): void {
  const type = request.headers.get('content-type')?.trim() ?? ''
  if (type !== '' && !jsonType.test(type)) {
    throw new GatewayError('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json.')
  }
}

/** A JSON body, as text or in the worker. Rejects with GatewayError: 415, 413, 400, 408 and whatever the worker refuses. */
export async function readJson(request: Request, services: JsonServices, sender: JsonSender): Promise<Body> {
  demandJson(request)
  const { clock, idleMs, large } = services
  if (Number(request.headers.get('content-length') ?? Number.NaN) <= smallBody) {
    const bytes = await readBody(request, mostBytes, clock, idleMs)
    sender.capture?.askedWith(bytes)
    return readText(bytes, sender)
  }
  const { isLight, ...body } = await readJsonPieces(request, services, sender.room)
  if (sender.capture) for (const piece of body.pieces) sender.capture.askedWith(piece, !isLight)
  if (isLight) return readText(joinedForNow(body.pieces, body.bytes), sender)
  if (sender.capture?.heedsStore && mayForbidStoring(body.pieces)) sender.capture.forbid()
  return { content: '', large: await large.open(body, sender.as, sender.caller) }
}

/** Reused buffer for joining bodies that are only read: allocating costs as much as copying. */
let room: Uint8Array | undefined

/** All pieces as one, until the next call. */
function joinedForNow(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return only
  room ??= new Uint8Array(light.bytes)
  let at = 0
  for (const piece of pieces) {
    room.set(piece, at)
    at += piece.length
  }
  return room.subarray(0, bytes)
}

/** A light body. Searching the bytes for the marker of stored files takes a quarter of the time of searching the text. */
function readText(bytes: Uint8Array, { capture }: JsonSender): Body {
  const content = decodeUtf8(bytes)
  if (capture?.heedsStore && forbidsStoring(content)) capture.forbid()
  return { content, hasFileMark: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(fileMark) }
}

/** A raw JSON body, and whether it is light. Rejects likewise. */
export async function readJsonPieces(
  request: Request,
  { clock, idleMs }: Omit<JsonServices, 'large'>,
  room?: Pick<BodyRoom, 'grow'>,
): Promise<WeighedPieces & { isLight: boolean }> {
  demandJson(request)
  const scale = createJsonScale(bounds)
  const pieces: WeighedPieces['pieces'][number][] = []
  let bytes = 0
  const turn = turnEvery(sliceBytes)
  for await (const piece of bodyPieces(request, { maxBytes: mostBytes, clock, timeMs: bodyTimeMs, idleMs })) {
    for (let at = 0; at < piece.length; at += sliceBytes) {
      const slice = piece.subarray(at, at + sliceBytes)
      scale.push(slice)
      await turn(slice.length)
    }
    pieces.push(piece)
    bytes += piece.length
    room?.grow(bytes)
  }
  const weight = scale.weight()
  return { pieces, bytes, weight, isLight: bytes <= light.bytes && weight <= light.weight }
}
