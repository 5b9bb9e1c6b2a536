/** Uploads in parts, in OpenAI's format. */
import type { KeptFile } from '#canonical/kept-file'
import { bodyNames } from '#protocols/codec/body-names'
import { isObject } from '#shared/json'
import { scanObject } from '#wire/json-scan'
import { type Body, isAbsent, missing, readCount, wrong } from './fields.ts'
import { openaiFiles } from './files.ts'

const names = bodyNames('openai', [], 'bytes filename mime_type purpose expires_after part_ids md5')

/** Milliseconds. */
const usualLife = 30 * 24 * 3_600_000

/** The metadata of a file before its parts arrive. */
export interface UploadFields {
  bytes: number
  name: string
  type: string
  purpose: string
  /** Milliseconds until the file expires. */
  lastsMs: number
}

function text(body: Body, field: string): string {
  const value = body[field]
  if (isAbsent(value)) throw missing(field)
  if (typeof value !== 'string' || value === '') throw wrong(field, 'a text')
  return value
}

/** The call that begins an upload. Throws GatewayError 400. */
export function readUpload(json: string, purposes: readonly string[]): UploadFields {
  const { value: body } = scanObject(json, names)
  const bytes = readCount(body, 'bytes', Number.MAX_SAFE_INTEGER, 1)
  if (bytes === undefined) throw missing('bytes')
  const purpose = text(body, 'purpose')
  if (!purposes.includes(purpose)) throw wrong('purpose', `one of ${purposes.join(', ')}`)
  const { expires_after: after } = body
  const seconds = isObject(after) ? after.seconds : undefined
  const isLife = typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds >= 3600 && seconds * 1000 <= usualLife
  if (!isAbsent(after) && !isLife) throw wrong('expires_after', 'an anchor and from 3600 to 2592000 seconds')
  const lastsMs = isLife ? seconds * 1000 : usualLife
  return { bytes, name: text(body, 'filename'), type: text(body, 'mime_type'), purpose, lastsMs }
}

/** The call that ends one. Throws GatewayError 400. */
export function readCompletion(json: string): { parts: string[]; md5?: string } {
  const { part_ids: parts, md5 } = scanObject(json, names).value
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) throw wrong('part_ids', 'a list of ids of parts')
  if (!isAbsent(md5) && (typeof md5 !== 'string' || !/^[0-9a-f]{32}$/i.test(md5))) throw wrong('md5', '32 hexadecimal digits')
  return { parts, ...(typeof md5 === 'string' && { md5 }) }
}

const seconds = (date: Date) => Math.floor(date.getTime() / 1000)

/** An upload; `declared`: the bytes that it is to have. */
export const writeUpload = (
  { id, name, purpose, declared, createdAt, expiresAt }: KeptFile & { declared?: number },
  status: 'pending' | 'completed' | 'cancelled',
  file?: KeptFile,
) => ({
  ...{ id: `upload_${id}`, object: 'upload', bytes: declared ?? 0, created_at: seconds(createdAt) },
  ...{ filename: name, purpose, status, expires_at: seconds(expiresAt) },
  file: file ? openaiFiles.file(file, '') : null,
})

/** A part of one. */
export const writePart = ({ id, createdAt }: KeptFile, upload: KeptFile) => ({
  ...{ id: `part_${id}`, object: 'upload.part', created_at: seconds(createdAt) },
  upload_id: `upload_${upload.id}`,
})
