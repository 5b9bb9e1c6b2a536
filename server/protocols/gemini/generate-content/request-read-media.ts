/** Media that a caller sends: bytes inline, or the address of a file. */
import type { MediaPart, MediaSource } from '#canonical/conversation'
import { type Fields, missingField } from '#canonical/fields'
import type { GeminiPart } from '#shared/protocols/gemini/generate-content'
import { isKeptFile } from './head.ts'
import { mediaKind, signatureOf } from './part.ts'

type Part = Fields<GeminiPart>

/** Undefined when the part holds none. `notes` collects the paths of what only this dialect can say. */
export function readMedia(part: Part, notes: Set<string>): MediaPart | undefined {
  const inline = part.object('inlineData')
  if (inline) {
    const mimeType = inline.text('mimeType')
    const data = inline.text('data')
    if (!mimeType) throw missingField(inline.pathOf('mimeType'))
    if (data === undefined) throw missingField(inline.pathOf('data'))
    // Bytes may come in either alphabet of base64; others take only the standard one.
    const source = { data: data.replaceAll('-', '+').replaceAll('_', '/') }
    return media(part, mimeType, source, inline.textIf('displayName'), notes)
  }
  const file = part.object('fileData')
  if (!file) return undefined
  const uri = file.text('fileUri')
  if (!uri) throw missingField(file.pathOf('fileUri'))
  const mimeType = file.text('mimeType') ?? (isYouTube(uri) ? 'video/*' : undefined)
  const source: MediaSource = isKeptFile(uri) ? { fileId: uri, dialect: 'gemini' } : { url: uri }
  return media(part, mimeType, source, file.textIf('displayName'), notes)
}

/** True for addresses that Google opens itself, as video. */
export const isYouTube = (uri: string): boolean => /^https:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//.test(uri)

const details: Readonly<Record<string, MediaPart['detail']>> = {
  MEDIA_RESOLUTION_LOW: 'low',
  MEDIA_RESOLUTION_HIGH: 'high',
  MEDIA_RESOLUTION_ULTRA_HIGH: 'original',
}

function media(part: Part, mimeType: string | undefined, source: MediaSource, name: string | undefined, notes: Set<string>): MediaPart {
  const level = part.objectIf('mediaResolution')?.textIf('level') ?? ''
  const detail = Object.hasOwn(details, level) ? details[level] : undefined
  const opaque = signatureOf(part)
  const extra: Record<string, unknown> = {}
  for (const field of onlyHere) {
    if (!part.has(field)) continue
    extra[field] = part.json(field)
    notes.add(part.pathOf(field))
  }
  return {
    kind: 'media',
    media: mediaKind(mimeType ?? ''),
    source,
    ...(mimeType !== undefined && { mimeType }),
    ...(name !== undefined && { name }),
    ...(detail && { detail }),
    ...(opaque.length > 0 && { opaque }),
    ...(Object.keys(extra).length > 0 && { extra }),
    path: part.path,
  }
}

/** What else this dialect can say of media: which part of a video, at what rate. */
const onlyHere = ['videoMetadata', 'mediaProcessing', 'partMetadata'] as const
