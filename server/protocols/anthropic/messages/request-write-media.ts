/** Images and documents for a Messages upstream. Unsupported ones are refused with their path in the caller's body. */
import type { Target } from '#canonical/codec'
import type { MediaPart } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, notNeeded, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import type { Json } from '../frame.ts'
import type { RequestContext } from './request-write-context.ts'

/** True for a part that has to be fetched first: the vendor opens web addresses itself, its models in another cloud do not. */
export const needsBytes = ({ media, source }: MediaPart, { capabilities }: Target): boolean =>
  capabilities.mediaUrlsRefused === true && 'url' in source && (media === 'image' || media === 'document')

const mediaWriters: FieldWriters<MediaPart, RequestContext> = {
  kind: notNeeded,
  media(media, { request }, { path }) {
    if (media === 'image' || media === 'document') return { type: media }
    throw cannotCarry(request, 'turns.media', `This upstream takes no ${media}.`, path)
  },
  detail(detail, { losses }) {
    if (detail !== 'auto') losses.leftOut('turns.media.detail', 'This upstream has no levels of detail.')
  },
  source(_, { request }, part) {
    const refuse = (reason: string) => cannotCarry(request, 'turns.media', reason, part.path)
    return { source: part.media === 'image' ? imageSource(part, refuse) : documentSource(part, refuse) }
  },
  mimeType: writtenElsewhere,
  // Only documents have a title here.
  name(name, { losses }, { media, title }) {
    if (media === 'document') return title === undefined ? { title: name } : undefined
    losses.leftOut('turns.media.name', 'Pictures have no names in this dialect.')
  },
  title: (title, _, { media }) => (media === 'document' ? { title } : undefined),
  extra: (extra, { request }, { media }) => (media === 'document' && request.dialect === 'messages' ? extra : undefined),
  cache: (mark, { marked }) => marked(mark),
  // Of sound, which is refused above.
  transcript: notNeeded,
  // This vendor signs thoughts, never media.
  opaque: notNeeded,
  // For refusals only.
  path: notNeeded,
}

/** An `image` or `document` block. Throws GatewayError `unsupported_value`. */
export const writeMedia = (part: MediaPart, writing: RequestContext): Json => writeFields(part, mediaWriters, writing)

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

/** Base64 prefixes of known file types. */
const beginnings: readonly [start: string, type: string][] = [
  ['/9j/', 'image/jpeg'],
  ['iVBORw0KGgo', 'image/png'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi0', 'application/pdf'],
]

const sniff = (data: string) => beginnings.find(([start]) => data.startsWith(start))?.[1]
