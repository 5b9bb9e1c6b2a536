/**
 * Files of a request, for an upstream that accepts them only inside its JSON: fetched by URL, or read from the spool. Each is loaded once
 * per request, however many candidates are tried; a long one is read from the spool whenever it is sent.
 */

import type { FormFile, InlineFile, WantedFile } from '#canonical/operation/operation'
import { fetchedAs, filesAt, maxBytes, tooMuch } from '#relay/conversation/remote-media'
import { clientClosed } from '#relay/exchange/ended'
import type { LongFiles } from '#relay/exchange/long-files'
import type { AbortSignalLike } from '#runtime/contract/abort'
import { GatewayError } from '#shared/errors'
import { type FetchMedia, shortMedia } from '#upstream/media'
import { beginningBytes, mediaType } from '#upstream/media-type'

/**
 * Reads the files in the given order. Rejects with GatewayError: `invalid_value` or `request_too_large` with the path of the file
 * as `param`, or `client_closed_request` when the signal is aborted.
 */
export type InlineFiles = (wanted: readonly WantedFile[]) => Promise<readonly InlineFile[]>

/** Reads files for one request; `signal` aborts its downloads, and long files become placeholders of `long`. */
export function inlineFiles(fetchMedia: FetchMedia, signal: AbortSignalLike, long: LongFiles): InlineFiles {
  const fileAt = filesAt(fetchMedia, signal, long)
  const uploads = new Map<FormFile, Promise<InlineFile>>()
  let bytes = 0

  function uploaded(file: FormFile, param: string): Promise<InlineFile> {
    const known = uploads.get(file)
    if (known) return known
    bytes += file.size
    if (bytes > maxBytes) throw tooMuch(param)
    const read = readUpload(file, param, long)
    uploads.set(file, read)
    return read
  }

  return async (wanted) => {
    const files = wanted.map(async ({ source, param }) =>
      'url' in source ? fetchedAs(param, source.url, fileAt) : uploaded(source.file, param),
    )
    try {
      return await Promise.all(files)
    } catch (thrown) {
      throw signal.aborted ? clientClosed() : thrown
    }
  }
}

async function readUpload(file: FormFile, param: string, long: LongFiles): Promise<InlineFile> {
  const isLong = file.size > shortMedia
  const beginning = await beginningOf(file, isLong ? beginningBytes : file.size)
  const mimeType = mediaType(beginning)
  if (mimeType === undefined) throw new GatewayError('invalid_value', 'This upstream does not accept files of this type.', { param })
  return { mimeType, data: isLong ? long.mark(file) : beginning.toString('base64') }
}

/** At least this many bytes from its beginning, if it has them. */
async function beginningOf(file: FormFile, bytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let had = 0
  for await (const piece of file.open()) {
    pieces.push(piece)
    had += piece.length
    if (had >= bytes) break
  }
  return Buffer.concat(pieces)
}
