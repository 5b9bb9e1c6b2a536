/** Media of a request in Gemini's form. This dialect opens few addresses; others must have been fetched before. */
import type { MediaPart } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, leavesOut, notNeeded, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import { isKeptFile } from '#protocols/codec/file-address'
import type { Body } from '../proto-json.ts'
import { isYouTube } from './head.ts'
import { signatureIn } from './part.ts'
import type { RequestContext } from './request-write-context.ts'

/** True for an address that Google reads itself: its own files, a bucket, YouTube. Everything else has to be sent as bytes. */
const opensItself = (url: string): boolean => isKeptFile(url) || isYouTube(url)

/** True for a part that has to be fetched first; videos are never fetched. */
export const needsBytes = ({ media, source }: MediaPart): boolean => 'url' in source && media !== 'video' && !opensItself(source.url)

const mediaWriters: FieldWriters<MediaPart, RequestContext> = {
  kind: notNeeded,
  // Implied by the MIME type.
  media: notNeeded,
  cache: leavesOut('cache', 'The upstream takes no cache breakpoints.'),
  source: (_, _writing, part) => writeSource(part),
  mimeType: writtenElsewhere,
  detail: writeDetail,
  name: leavesOut('turns.media.name', 'The upstream takes no names of files.'),
  title: leavesOut('turns.media.name', 'The upstream takes no names of files.'),
  extra: (extra, { request }) => (request.dialect === 'gemini' ? extra : undefined),
  opaque: signatureIn,
  // Replaces audio that cannot be sent: writeMedia.
  transcript: writtenElsewhere,
  // For refusals only.
  path: notNeeded,
}

/** The parts of a request for `part`. Throws GatewayError `unsupported_value` for a file that cannot be opened here. */
export function writeMedia(part: MediaPart, writing: RequestContext): Body[] {
  const { request, losses } = writing
  const { source } = part
  if ('text' in source || writeSource(part) === undefined) {
    if (part.cache) losses.leftOut('cache', 'The upstream takes no cache breakpoints.')
    const text = textFor(part, losses)
    if (text !== undefined) return [{ text }]
    throw cannotCarry(request, 'turns.media', 'The upstream cannot open this file: send its bytes.', part.path)
  }
  return [writeFields(part, mediaWriters, writing)]
}

/** A text document becomes its text; audio that only its vendor has becomes its transcript. */
function textFor({ source, title, name, transcript }: MediaPart, losses: LossList): string | undefined {
  if ('text' in source) {
    losses.adapted('turns.document', 'A text document became text.')
    return [title ?? name, source.text].filter(Boolean).join('\n\n')
  }
  if (transcript !== undefined) losses.adapted('turns.media', 'Audio that only its vendor has became its transcript.')
  return transcript
}

function writeSource({ source, mimeType }: MediaPart): Body | undefined {
  if ('data' in source) {
    const type = mimeType ?? sniffed(source.data)
    return type === undefined ? undefined : { inlineData: { mimeType: type, data: source.data } }
  }
  const uri = 'url' in source ? source.url : 'fileId' in source && source.dialect === 'gemini' ? source.fileId : undefined
  if (uri === undefined || !('fileId' in source || opensItself(uri))) return undefined
  return { fileData: { ...(mimeType !== undefined && mimeType !== 'video/*' && { mimeType }), fileUri: uri } }
}

/** The first characters of common kinds, in base64. */
const magic: readonly (readonly [start: string, mimeType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi0', 'application/pdf'],
]

const sniffed = (data: string) => magic.find(([start]) => data.startsWith(start))?.[1]

const levels = { low: 'MEDIA_RESOLUTION_LOW', high: 'MEDIA_RESOLUTION_HIGH', original: 'MEDIA_RESOLUTION_ULTRA_HIGH' }

function writeDetail(
  detail: NonNullable<MediaPart['detail']>,
  { request, target, losses }: RequestContext,
  { media }: MediaPart,
): Body | undefined {
  if (detail === 'auto' || (media !== 'image' && media !== 'video')) return undefined
  if (target.capabilities.olderSchema === true) {
    losses.leftOut('turns.media.detail', 'The model takes one resolution for everything.')
    return undefined
  }
  if (request.dialect !== 'gemini') losses.adapted('turns.media.detail', 'The requested detail became a resolution.')
  return { mediaResolution: { level: levels[detail] } }
}
