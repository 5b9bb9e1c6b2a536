/**
 * Parts of a turn as Chat writes them; unsupported ones are refused, others are adapted. Also ids of calls: a foreign or overlong one is
 * replaced, consistently for the call and its result.
 */

import type { Target } from '#canonical/codec'
import type { CacheMark, ConversationRequest, MediaPart, NativePart, TextPart } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import {
  type FieldWriters,
  type KindWriters,
  leavesOut,
  notNeeded,
  type WrittenFields,
  writeFields,
  writeKind,
} from '#protocols/codec/field-writers'
import { writeDataUrl } from '../data-url.ts'
import type { Body } from '../fields.ts'

/** What every writer of one request works with. */
export interface Writing {
  request: ConversationRequest
  target: Target
  losses: LossList
}

export type WritablePart = TextPart | MediaPart | NativePart

/** One part of a message, or undefined when it is lost. Throws GatewayError `unsupported_value` for media that Chat has no place for. */
export const writePart = (part: WritablePart, writing: Writing): Body | undefined => writeKind(part, partWriters, writing)

const partWriters: KindWriters<WritablePart, Writing, Body | undefined> = {
  text: writeText,
  media: (part, writing) => ({ ...writeMedia(part, writing), ...writeCache(part.cache, writing) }),
  native: writeNative,
}

/** A text as a part of a message. */
export function writeText(part: TextPart, writing: Writing): Body {
  return { type: 'text', ...writeFields(part, textWriters, writing) }
}

const textWriters: FieldWriters<TextPart, Writing> = {
  text: (text) => ({ text }),
  cache: writeCache,
  phase: leavesOut('turns.phase', 'The upstream does not distinguish commentary from answers.'),
  citations: (citations, { losses }) => {
    if (citations.length > 0) losses.leftOut('turns.citations', 'The upstream takes no citations back.')
    return undefined
  },
  // State of a text is another vendor's, and only its maker can read it.
  opaque: notNeeded,
}

/** State of a block is in `raw`. */
type Native = WrittenFields<NativePart, { dialect: 'written'; raw: 'written'; summary: 'written'; opaque: 'notNeeded' }>

/** A block of this dialect unchanged, one of another dialect as its text; undefined when it is lost. */
export function writeNative({ dialect, raw, summary }: Native, { losses }: Writing): Body | undefined {
  if (dialect === 'chat') return raw as Body
  if (summary === undefined) {
    losses.dropped('turns.native', 'The upstream has no such block.')
    return undefined
  }
  losses.adapted('turns.native', 'A block that the upstream does not have became text.')
  return { type: 'text', text: summary }
}

/** Chat has two lifetimes; longer ones of other dialects become the nearest that is not shorter, if there is one. */
export function writeCache(cache: WrittenFields<CacheMark, { ttl: 'written' }> | undefined, { target, losses }: Writing): Body {
  if (!cache) return {}
  if (target.capabilities.cacheMarksRefused) {
    losses.leftOut('cache', 'This model takes no cache breakpoints.')
    return {}
  }
  const ttl = cache.ttl === '12h' ? '12h' : '30m'
  if (ttl !== cache.ttl) losses.adapted('cache.ttl', 'The upstream has other cache lifetimes.')
  return { prompt_cache_breakpoint: { mode: 'explicit', ttl } }
}

/** Pictures may be URLs, everything else must be data. */
export function needsBytes({ media, source }: MediaPart, { capabilities }: Target): boolean {
  if (!('url' in source)) return false
  return media === 'image' ? capabilities.mediaUrlsRefused === true : media === 'document' || media === 'audio'
}

/** Media of the user. The cache breakpoint is added in `partWriters`. */
type Media = WrittenFields<
  MediaPart,
  {
    media: 'written'
    source: 'written'
    mimeType: 'written'
    detail: 'written'
    name: 'written'
    title: 'written'
    cache: 'written'
    path: 'written'
    // Of sound that a model made: request-write-assistant.ts.
    transcript: 'notNeeded'
    // State of media is another vendor's, as are fields that only one dialect has.
    opaque: 'notNeeded'
    extra: 'notNeeded'
  }
>

function writeMedia(part: Media, writing: Writing): Body {
  if ('fileId' in part.source && part.source.dialect !== 'chat') throw refused(part, writing, 'File ids are not portable.')
  switch (part.media) {
    case 'image':
      return writeImage(part, writing)
    case 'audio':
      return writeAudio(part, writing)
    case 'document':
      return writeDocument(part, writing)
    case 'video':
      return writeVideo(part, writing)
  }
}

const refused = (part: Media, { request }: Writing, reason: string) => cannotCarry(request, 'turns.media', reason, part.path)

function writeImage(part: Media, writing: Writing): Body {
  const { source, mimeType = 'image/png', detail } = part
  const url = 'url' in source ? source.url : 'data' in source ? writeDataUrl(mimeType, source.data) : undefined
  forgetName(part, writing)
  if (url === undefined) throw refused(part, writing, 'The upstream takes images by their data or by URL.')
  return { type: 'image_url', image_url: { url, ...(detail !== undefined && { detail }) } }
}

function forgetName({ name }: Media, { losses }: Writing): void {
  if (name !== undefined) losses.leftOut('turns.media.name', 'Pictures and audio have no names in this dialect.')
}

const audioFormats: Readonly<Record<string, string>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}

function writeAudio(part: Media, writing: Writing): Body {
  const { source, mimeType = '' } = part
  const known = Object.hasOwn(audioFormats, mimeType) ? audioFormats[mimeType] : undefined
  // The upstream judges a format named by a caller of this dialect.
  const format = known ?? (writing.request.dialect === 'chat' ? mimeType.replace(/^audio\//, '') : undefined)
  forgetName(part, writing)
  if (!('data' in source) || format === undefined) throw refused(part, writing, 'The upstream takes audio as WAV or MP3 data.')
  return { type: 'input_audio', input_audio: { data: source.data, format } }
}

/** OpenAI does not accept video: a caller of this dialect knows an upstream that does. */
function writeVideo(part: Media, writing: Writing): Body {
  const { source, mimeType = 'video/mp4' } = part
  const url = 'url' in source ? source.url : 'data' in source ? writeDataUrl(mimeType, source.data) : undefined
  if (url === undefined || writing.request.dialect !== 'chat') throw refused(part, writing, 'The upstream takes no video.')
  return { type: 'video_url', video_url: { url } }
}

function writeDocument(part: Media, writing: Writing): Body {
  const { source, mimeType, name, title } = part
  if ('text' in source) {
    writing.losses.adapted('turns.document', 'A plain-text document became text under its title.')
    return { type: 'text', text: `${title ?? name ?? 'Document'}\n\n${source.text}` }
  }
  if ('url' in source) throw refused(part, writing, 'The upstream takes documents by their data only.')
  if ('fileId' in source) return { type: 'file', file: { file_id: source.fileId, ...(name !== undefined && { filename: name }) } }
  const filename = name ?? title ?? 'document.pdf'
  return { type: 'file', file: { filename, file_data: mimeType === undefined ? source.data : writeDataUrl(mimeType, source.data) } }
}

export interface CallIds {
  out(callId: string): string
}

/** Ids that all upstreams are known to accept. */
const plainId = /^[\w.:-]{1,40}$/
const shortId = /^[A-Za-z0-9]{9}$/

/** One per request: upstreams keep no ids between requests, so no way back is needed. */
export function callIds({ capabilities }: Pick<Target, 'capabilities'>): CallIds {
  const given = new Map<string, string>()
  const { shortCallIds } = capabilities
  return {
    out(callId) {
      if ((shortCallIds ? shortId : plainId).test(callId)) return callId
      const number = given.size + 1
      const id = given.get(callId) ?? (shortCallIds ? `p${String(number).padStart(8, '0')}` : `call_parley_${number}`)
      given.set(callId, id)
      return id
    },
  }
}
