/**
 * Parses an uploaded form as it arrives: text stays in memory, files go to the spool. So memory use does not grow with uploads,
 * and every attempt can read the files again.
 */
import type { Form, FormFile } from '#canonical/operation/operation'
import type { SpoolWriter, Upload } from '#runtime/spool'
import { nextTurn, turnEvery } from '#runtime/turns'
import { GatewayError } from '#shared/errors'
import { boundaryOf, formDecoder } from '#wire/multipart-head'
import { createMultipartReader, type MultipartEvent } from '#wire/multipart-reader'

/** Bytes searched for a boundary before the event loop gets a turn: data that queued up arrives as one piece. */
const atOnce = 512 * 1024

export interface FormLimits {
  /** Bytes of one file. */
  file: number
  /** Bytes of all text fields. */
  text: number
  parts: number
}

/**
 * Reads a form of this content type into `upload`, which the caller releases, also when this throws: GatewayError
 * `invalid_request`, `request_too_large` with the field as `param`, or whatever `pieces` throws. The pieces are used up: see `free`.
 */
export async function collectForm(
  contentType: string,
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
  upload: Upload,
  limits: FormLimits,
): Promise<Form> {
  const reader = createMultipartReader(boundaryOf(contentType), limits.parts)
  const taker = formTaker(upload, limits)
  let size = 0
  const turn = turnEvery(atOnce)
  for await (const piece of pieces) {
    size += piece.length
    for (let at = 0; at < piece.length; at += atOnce) {
      const slice = piece.subarray(at, at + atOnce)
      for (const event of reader.push(slice)) await taker.take(event)
      await turn(slice.length)
    }
    free(piece)
  }
  reader.end()
  // The next reader of the form scans all of its text.
  if (taker.textBytes() > atOnce) await nextTurn()
  return { parts: taker.parts, size }
}

/** Frees the buffer of bytes that own it: with many concurrent uploads, hundreds of mebibytes would pile up before garbage collection. */
function free(bytes: Uint8Array<ArrayBuffer>): void {
  if (bytes.byteLength === bytes.buffer.byteLength) bytes.buffer.transfer(0)
}

interface FormTaker {
  parts: Form['parts']
  textBytes(): number
  take(event: MultipartEvent): Promise<void>
}

function formTaker(upload: Upload, limits: FormLimits): FormTaker {
  const parts: Form['parts'][number][] = []
  let text: { name: string; value: string; decode: ReturnType<typeof formDecoder> } | undefined
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
      text.value += text.decode(bytes)
    }
  }

  async function close(): Promise<void> {
    if (text) parts.push({ name: text.name, value: text.value + text.decode() })
    if (file) {
      const { writer, ...named } = file
      parts.push({ ...named, open: (await writer.done()).open })
    }
    text = undefined
    file = undefined
  }

  return {
    parts,
    textBytes: () => textBytes,
    async take(event) {
      if (event.kind === 'bytes') return takeBytes(event.bytes)
      if (event.kind === 'end') return close()
      const { name, filename, type } = event.head
      if (filename === undefined) text = { name, value: '', decode: formDecoder(name) }
      else file = { name, filename, type: type ?? 'application/octet-stream', size: 0, writer: upload.file() }
    },
  }
}
