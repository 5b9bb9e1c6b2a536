/**
 * Files that a request names by URL, for an upstream that only takes bytes: fetched once per request, however many candidates are tried,
 * and inserted into the canonical conversation. A failed download is the caller's error, with the path of the part in the caller's body.
 */

import type { ConversationRequest, MediaPart, Part } from '#canonical/conversation'
import type { Loss } from '#canonical/loss'
import { clientClosed } from '#relay/exchange/ended'
import { type LongFiles, noLongFiles } from '#relay/exchange/long-files'
import type { AbortSignalLike } from '#runtime/contract/abort'
import { GatewayError } from '#shared/errors'
import type { FetchMedia, ShortMedia } from '#upstream/media'
import { createSemaphore, type Semaphore } from '#upstream/semaphore'
import { mediaOf } from './reading.ts'

/** Limits of one request. */
const maxFiles = 20
export const maxBytes = 20 * 1024 * 1024
const parallel = 8

type Remote = MediaPart & { source: { url: string } }

/**
 * The request with the bytes of every part that `needsBytes` picks. Rejects with GatewayError `invalid_value` or
 * `request_too_large` with the part as `param`, or `client_closed_request` when the signal is aborted.
 */
export type WithBytes = (
  request: ConversationRequest,
  needsBytes: (part: MediaPart) => boolean,
) => Promise<{ request: ConversationRequest; losses: readonly Loss[] }>

/** Only the URL is lost. */
const adapted: Loss = {
  field: 'turns.media.source',
  what: 'adapted',
  reason: 'The upstream does not fetch this URL: Parley fetched the file and sent its bytes.',
  meaning: false,
}

/**
 * Fetches the files of one request by URL: each once, with limits on their number and total size. A long one becomes a placeholder of
 * `long`.
 */
export function filesAt(fetchMedia: FetchMedia, signal: AbortSignalLike, long: LongFiles): (url: string) => Promise<ShortMedia> {
  const files = new Map<string, Promise<ShortMedia>>()
  /** Created with the first file: most requests have none. */
  let semaphore: Semaphore | undefined
  let bytes = 0

  async function fetchOne(url: string): Promise<ShortMedia> {
    if (bytes > maxBytes) throw tooMuch()
    const file = await fetchMedia(url, signal)
    bytes += file.bytes
    if (bytes > maxBytes) throw tooMuch()
    if ('data' in file) return file
    const { pieces, ...others } = file
    return { ...others, data: long.mark({ size: file.bytes, open: () => inOrder(pieces) }) }
  }

  /** The same URL is fetched once. */
  return (url) => {
    const known = files.get(url)
    if (known) return known
    if (files.size >= maxFiles) throw new GatewayError('request_too_large', `Parley fetches at most ${maxFiles} files per request.`)
    semaphore ??= createSemaphore(parallel)
    const file = semaphore.run(signal, () => fetchOne(url))
    files.set(url, file)
    return file
  }
}

/** Fetches for one request; `signal` aborts its downloads, and long files become placeholders of `long`. Absent: none is long. */
export function remoteMedia(fetchMedia: FetchMedia, signal: AbortSignalLike, long: LongFiles = noLongFiles): WithBytes {
  const fileAt = filesAt(fetchMedia, signal, long)
  return async (request, needsBytes) => {
    const wanted = mediaOf(request).filter((part): part is Remote => 'url' in part.source && needsBytes(part))
    if (wanted.length === 0) return { request, losses: [] }
    const fetched = await Promise.all(wanted.map(async (part) => [part, await placed(part, request, fileAt)] as const)).catch((thrown) => {
      throw signal.aborted ? clientClosed() : thrown
    })
    return { request: replaced(request, new Map<Part, MediaPart>(fetched)), losses: [adapted] }
  }
}

/** For an upstream that takes files as bytes inside its JSON. */
export const tooMuch = (param?: string) =>
  new GatewayError(
    'request_too_large',
    `The files of a request may have ${maxBytes / 1024 / 1024} MiB together when the upstream takes them only as bytes.`,
    param === undefined ? {} : { param },
  )

/** The file at this URL; errors name `param`. */
export async function fetchedAs(param: string, url: string, fileAt: (url: string) => Promise<ShortMedia>): Promise<ShortMedia> {
  try {
    return await fileAt(url)
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.blame !== 'client') throw thrown
    throw new GatewayError(thrown.code, thrown.message, { param, cause: thrown.cause })
  }
}

async function placed(part: Remote, request: ConversationRequest, fileAt: (url: string) => Promise<ShortMedia>): Promise<MediaPart> {
  const param = part.path ?? request.paths?.['turns.media'] ?? 'turns.media'
  const { mimeType, data } = await fetchedAs(param, part.source.url, fileAt)
  const media = kindOf(mimeType)
  // Gemini's callers may leave the media type open.
  if (media !== part.media && !(request.dialect === 'gemini' && part.mimeType === undefined)) {
    throw new GatewayError('invalid_value', `The file at this address is not of the type \`${part.media}\`.`, { param })
  }
  return { ...part, media, mimeType, source: { data } }
}

async function* inOrder(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

function kindOf(mimeType: ShortMedia['mimeType']): 'image' | 'audio' | 'document' {
  if (mimeType === 'application/pdf') return 'document'
  return mimeType.startsWith('image/') ? 'image' : 'audio'
}

function replaced(request: ConversationRequest, files: ReadonlyMap<Part, MediaPart>): ConversationRequest {
  const inPlace = <P extends Part>(part: P): P | MediaPart => files.get(part) ?? part
  const turns = request.turns.map((turn) => ({
    ...turn,
    parts: turn.parts.map((part): Part => (part.kind === 'result' ? { ...part, parts: part.parts.map(inPlace) } : inPlace(part))),
  }))
  return { ...request, turns }
}
