/**
 * Parses an uploaded form as it arrives: text stays in memory, files go to the spool. So memory use does not grow with uploads,
 * and every attempt can read the files again.
 */
import type { Form, FormFile } from '#canonical/operation/operation'
import type { SpoolWriter, Upload } from '#runtime/spool'
import { GatewayError } from '#shared/errors'
import { boundaryOf, formText } from '#wire/multipart-head'
import { createMultipartReader, type MultipartEvent } from '#wire/multipart-reader'

export interface FormLimits {
  /** Bytes of one file. */
  file: number
  /** Bytes of all text fields. */
  text: number
  parts: number
}

/**
 * Reads a form of this content type into `upload`, which the caller releases, also when this throws: GatewayError
 * `invalid_request`, `request_too_large` with the field as `param`, or whatever `pieces` throws.
 */
export async function collectForm(
  contentType: string,
  pieces: AsyncIterable<Uint8Array>,
  upload: Upload,
  limits: FormLimits,
): Promise<Form> {
  const reader = createMultipartReader(boundaryOf(contentType), limits.parts)
  const taker = formTaker(upload, limits)
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    for (const event of reader.push(piece)) await taker.take(event)
  }
  reader.end()
  return { parts: taker.parts, size }
}

function formTaker(upload: Upload, limits: FormLimits): { parts: Form['parts']; take(event: MultipartEvent): Promise<void> } {
  const parts: Form['parts'][number][] = []
  let text: { name: string; chunks: Uint8Array[] } | undefined
  let file: (Omit<FormFile, 'open'> & { writer: SpoolWriter }) | undefined
  let textBytes = 0

  async function takeBytes(bytes: Uint8Array): Promise<void> {
    if (file) {
      file.size += bytes.length
      if (file.size > limits.file) throw new GatewayError('request_too_large', 'The file is too large.', { param: file.name })
      await file.writer.write(bytes)
    } else if (text) {
      textBytes += bytes.length
      if (textBytes > limits.text) throw new GatewayError('request_too_large', 'The text of the form is too large.', { param: text.name })
      text.chunks.push(bytes.slice())
    }
  }

  async function close(): Promise<void> {
    if (text) parts.push({ name: text.name, value: formText(Buffer.concat(text.chunks), text.name) })
    if (file) {
      const { writer, ...named } = file
      parts.push({ ...named, open: (await writer.done()).open })
    }
    text = undefined
    file = undefined
  }

  return {
    parts,
    async take(event) {
      if (event.kind === 'bytes') return takeBytes(event.bytes)
      if (event.kind === 'end') return close()
      const { name, filename, type } = event.head
      if (filename === undefined) text = { name, chunks: [] }
      else file = { name, filename, type: type ?? 'application/octet-stream', size: 0, writer: upload.file() }
    },
  }
}
