/**
 * JSON bodies by the work that they are: most become text at once. A large one, of many bytes or many values, goes to a worker: nobody's
 * body keeps the others waiting.
 */
import type { Body } from '#relay/contract/ask'
import type { LargeAsk, LargeBodies, WeighedPieces } from '#relay/contract/large-body'
import type { Clock } from '#runtime/clock'
import { nextTurn } from '#runtime/turns'
import { GatewayError } from '#shared/errors'
import { createJsonScale, type JsonBounds } from '#wire/json-weight'
import { bodyPieces, bodyTimeMs, decodeUtf8, join, readBody } from './read-body.ts'

const mebibyte = 1024 * 1024
/** Largest JSON body, in bytes. */
const mostBytes = 32 * mebibyte
/** Nesting as in CONTRACT section 5. No known request has a tenth of this number of values. */
const bounds: JsonBounds = { depth: 64, weight: 262_144 }
/** What becomes text here without a wait: about ten milliseconds of work at most. */
const light = { bytes: mebibyte, weight: 4096 }
/** Bytes: a smaller body is not weighed. */
const tiny = 64 * 1024
/** Bytes that are weighed before others have their turn. */
const sliceBytes = 256 * 1024

/** What reading a JSON body needs. */
export interface JsonServices {
  clock: Clock
  /** Milliseconds without any data before a body is refused. */
  idleMs: number
  large: LargeBodies
}

/** Whose body it is, and what it is read as. */
export interface JsonSender {
  caller: string
  as: LargeAsk
}

const jsonType = /^(application\/json|[a-z0-9.+-]+\/[a-z0-9.+-]+\+json)\s*(;|$)/i

/** Throws 415 for a content type other than JSON; a missing one counts as JSON. */
function demandJson(request: Request): void {
  const type = request.headers.get('content-type')?.trim() ?? ''
  if (type !== '' && !jsonType.test(type)) {
    throw new GatewayError('unsupported_media_type', 'The body must be JSON: send Content-Type: application/json.')
  }
}

/** A JSON body, as text or in the worker. Rejects with GatewayError: 415, 413, 400, 408 and whatever the worker refuses. */
export async function readJson(request: Request, services: JsonServices, sender: JsonSender): Promise<Body> {
  demandJson(request)
  const { clock, idleMs, large } = services
  if (Number(request.headers.get('content-length') ?? Number.NaN) <= tiny) {
    return { content: decodeUtf8(await readBody(request, mostBytes, clock, idleMs)) }
  }
  const { isLight, ...body } = await readJsonPieces(request, services)
  if (isLight) return { content: decodeUtf8(join(body.pieces)) }
  return { content: '', large: await large.open(body, sender.as, sender.caller) }
}

/** A JSON body as it came, and whether it is little work. Rejects likewise. */
export async function readJsonPieces(
  request: Request,
  { clock, idleMs }: Omit<JsonServices, 'large'>,
): Promise<WeighedPieces & { isLight: boolean }> {
  demandJson(request)
  const scale = createJsonScale(bounds)
  const pieces: WeighedPieces['pieces'][number][] = []
  let bytes = 0
  for await (const piece of bodyPieces(request, { maxBytes: mostBytes, clock, timeMs: bodyTimeMs, idleMs })) {
    for (let at = 0; at < piece.length; at += sliceBytes) {
      scale.push(piece.subarray(at, at + sliceBytes))
      if (piece.length > sliceBytes) await nextTurn()
    }
    pieces.push(piece)
    bytes += piece.length
  }
  const weight = scale.weight()
  return { pieces, bytes, weight, isLight: bytes <= light.bytes && weight <= light.weight }
}
