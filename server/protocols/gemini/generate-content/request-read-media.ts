/** Media that a caller sends: bytes inline, or the address of a file. */
import type { MediaPart, MediaSource } from '#canonical/conversation'
import { missing, type Node, objectAt, pathOf, pick, pickObject, pickText, textAt } from '../proto-json.ts'
import { isKeptFile } from './head.ts'
import { mediaKind, signatureOf } from './part.ts'

/** Undefined when the part holds none. */
export function readMedia(node: Node): MediaPart | undefined {
  const inline = objectAt(node, 'inlineData')
  if (inline) return readInline(inline, node)
  const file = objectAt(node, 'fileData')
  return file && readFile(file, node)
}

function readInline(inline: Node, node: Node): MediaPart {
  const mimeType = textAt(inline, 'mimeType')
  const data = textAt(inline, 'data')
  if (!mimeType) throw missing(pathOf(inline, 'mimeType'))
  if (data === undefined) throw missing(pathOf(inline, 'data'))
  // Bytes may come in either alphabet of base64; others take only the standard one.
  return media(node, mimeType, { data: data.replaceAll('-', '+').replaceAll('_', '/') }, pickText(inline.body, 'displayName'))
}

function readFile(file: Node, node: Node): MediaPart {
  const uri = textAt(file, 'fileUri')
  if (!uri) throw missing(pathOf(file, 'fileUri'))
  const mimeType = textAt(file, 'mimeType') ?? (isYouTube(uri) ? 'video/*' : undefined)
  return media(node, mimeType, isKeptFile(uri) ? { fileId: uri, dialect: 'gemini' } : { url: uri }, pickText(file.body, 'displayName'))
}

/** Google reads these itself, as video. */
export const isYouTube = (uri: string): boolean => /^https:\/\/(?:www\.)?(?:youtube\.com|youtu\.be)\//.test(uri)

const details: Readonly<Record<string, MediaPart['detail']>> = {
  MEDIA_RESOLUTION_LOW: 'low',
  MEDIA_RESOLUTION_HIGH: 'high',
  MEDIA_RESOLUTION_ULTRA_HIGH: 'original',
}

function media(node: Node, mimeType: string | undefined, source: MediaSource, name: string | undefined): MediaPart {
  const level = pick(pickObject(node.body, 'mediaResolution') ?? {}, 'level')
  const detail = typeof level === 'string' && Object.hasOwn(details, level) ? details[level] : undefined
  const opaque = signatureOf(node.body)
  const extra = Object.fromEntries(Object.entries(node.body).filter(([field]) => clip.has(field)))
  return {
    kind: 'media',
    media: mediaKind(mimeType ?? ''),
    source,
    ...(mimeType !== undefined && { mimeType }),
    ...(name !== undefined && { name }),
    ...(detail && { detail }),
    ...(opaque.length > 0 && { opaque }),
    ...(Object.keys(extra).length > 0 && { extra }),
    path: node.path,
  }
}

/** What else can be said of media here: which part of a video, at what rate. */
const clip = new Set(['videoMetadata', 'video_metadata', 'mediaProcessing', 'media_processing', 'partMetadata', 'part_metadata'])
