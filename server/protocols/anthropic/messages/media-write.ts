/** Images and documents for an upstream that speaks Messages: what it cannot take is refused, by its place in the caller's body. */
import type { Target } from '#canonical/codec'
import type { MediaPart } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import type { Json } from './frame.ts'
import type { Writing } from './writing.ts'

/** The vendor opens web addresses itself; its models in somebody's cloud do not. */
export const needsBytes = ({ media, source }: MediaPart, { capabilities }: Target): boolean =>
  capabilities.mediaUrlsRefused === true && 'url' in source && (media === 'image' || media === 'document')

/** Throws GatewayError `unsupported_value`. */
export function writeMedia(part: MediaPart, { request, losses, marked }: Writing): Json {
  const refuse = (reason: string) => cannotCarry(request, 'turns.media', reason, part.path)
  if (part.media === 'audio' || part.media === 'video') throw refuse(`This upstream takes no ${part.media}.`)
  if (part.detail !== undefined && part.detail !== 'auto') losses.forgotten('turns.media.detail', 'This upstream has no levels of detail.')
  if (part.media === 'image') return { type: 'image', source: imageSource(part, refuse), ...marked(part.cache) }
  const title = part.title ?? part.name
  const extra = request.dialect === 'messages' ? part.extra : undefined
  return { type: 'document', source: documentSource(part, refuse), ...(title !== undefined && { title }), ...extra, ...marked(part.cache) }
}

type Refuse = (reason: string) => Error

const imageTypes = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])

function imageSource({ source, mimeType }: MediaPart, refuse: Refuse): Json {
  if ('url' in source) return urlSource(source.url, refuse)
  if ('fileId' in source) return fileSource(source, refuse)
  if ('text' in source) throw refuse('This upstream takes images as data or by address.')
  const type = (mimeType ?? sniff(source.data))?.toLowerCase().replace('image/jpg', 'image/jpeg')
  if (type === undefined || !imageTypes.has(type)) throw refuse('This upstream takes JPEG, PNG, GIF and WebP images.')
  return { type: 'base64', media_type: type, data: source.data }
}

function documentSource({ source, mimeType }: MediaPart, refuse: Refuse): Json {
  if ('url' in source) return urlSource(source.url, refuse)
  if ('fileId' in source) return fileSource(source, refuse)
  if ('text' in source) return { type: 'text', media_type: 'text/plain', data: source.text }
  const type = (mimeType ?? sniff(source.data))?.toLowerCase()
  if (type === 'application/pdf') return { type: 'base64', media_type: type, data: source.data }
  if (type && isText.test(type))
    return { type: 'text', media_type: 'text/plain', data: Buffer.from(source.data, 'base64').toString('utf8') }
  throw refuse('This upstream takes PDF and plain text documents.')
}

const isText = /^text\/|^application\/(?:json|xml|yaml|x-yaml|toml|javascript|typescript|sql)\b/

function urlSource(url: string, refuse: Refuse): Json {
  if (!/^https?:\/\//i.test(url)) throw refuse('This upstream takes web addresses only.')
  return { type: 'url', url }
}

function fileSource({ fileId, dialect }: { fileId: string; dialect: string }, refuse: Refuse): Json {
  if (dialect !== 'messages') throw refuse('File ids mean nothing to another vendor.')
  return { type: 'file', file_id: fileId }
}

/** How base64 of a known kind of file begins. */
const beginnings: readonly [start: string, type: string][] = [
  ['/9j/', 'image/jpeg'],
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi0', 'application/pdf'],
]

const sniff = (data: string) => beginnings.find(([start]) => data.startsWith(start))?.[1]
