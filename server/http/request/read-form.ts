/** Uploaded forms: limits on size, time and type. The bytes are streamed through the relay's form reader into the spool. */
import type { Capture } from '#bodies/capture'
import type { Form } from '#canonical/operation/operation'
import type { BodyRoom } from '#relay/contract/body-rooms'
import { collectForm, type FormLimits } from '#relay/operation/form'
import type { Clock } from '#runtime/clock'
import type { Spool } from '#runtime/spool'
import { GatewayError } from '#shared/errors'
import { bodyPieces } from './read-body.ts'

const mebibyte = 1024 * 1024

/** Timeout for a whole form, in milliseconds: a hundred mebibytes over a slow line take minutes. */
const formTime = 600_000

/** Sizes in bytes; `body` is the whole body. */
const limits: FormLimits & { body: number } = { file: 25 * mebibyte, text: 8 * mebibyte, body: 100 * mebibyte, parts: 1000 }

/** What reading an uploaded form needs. */
export interface FormServices {
  spool: Spool
  clock: Clock
  /** Milliseconds without any data before the upload is refused. */
  idleMs: number
}

/** Whether the request's content type is a multipart form. */
export const isForm = (request: Request): boolean =>
  /^multipart\/form-data\s*(;|$)/i.test(request.headers.get('content-type')?.trim() ?? '')

/**
 * The request's form; `release` removes its spooled files. Throws GatewayError and leaves nothing behind: 415 for another
 * content type, 413, 400, `body_timeout`, `client_closed_request`, `overloaded` when the disk is full.
 */
export async function readForm(
  { spool, clock, idleMs }: FormServices,
  request: Request,
  capture?: Capture | undefined,
  room?: Pick<BodyRoom, 'grow'>,
): Promise<{ content: Form; release(): void }> {
  if (!isForm(request)) {
    throw new GatewayError('unsupported_media_type', 'The body must be a form: send Content-Type: multipart/form-data.')
  }
  const upload = spool.upload()
  try {
    const sent = bodyPieces(request, { maxBytes: limits.body, clock, timeMs: formTime, idleMs })
    const pieces = room ? counted(sent, room) : sent
    const content = await collectForm(request.headers.get('content-type') ?? '', capture ? noted(pieces, capture) : pieces, upload, limits)
    return { content, release: upload.release }
  } catch (thrown) {
    upload.release()
    throw thrown
  }
}

async function* counted(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>, room: Pick<BodyRoom, 'grow'>) {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    room.grow(bytes)
    yield piece
  }
}

async function* noted(pieces: AsyncIterable<Uint8Array<ArrayBuffer>>, capture: Capture): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const piece of pieces) {
    capture.askedWith(piece, true)
    yield piece
  }
}
