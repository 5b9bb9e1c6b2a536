/** Parts of messages and of tool results, for an upstream of this dialect. */
import type { Target } from '#canonical/codec'
import type { CacheMark, ConversationRequest, MediaPart, ResultPart, TextPart } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, leavesOut, notNeeded, type WrittenFields, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import { writeDataUrl } from '../data-url.ts'
import { writeAnnotation } from './citations.ts'

type Content = Record<string, unknown>

/** The context of writing a part. */
export interface Writing {
  request: ConversationRequest
  target: Target
  losses: LossList
}

/** Text of a user, an instruction or a tool. */
export const inputText = (part: Omit<TextPart, 'kind'>, writing: Writing): Content => ({
  type: 'input_text',
  ...writeFields(part, inputTextWriters, writing),
})

const inputTextWriters: FieldWriters<Omit<TextPart, 'kind'>, Writing> = {
  text: (text) => ({ text }),
  cache: breakpoint,
  // Stands on the message.
  phase: writtenElsewhere,
  citations(citations, { losses }) {
    if (citations.length > 0) losses.leftOut('turns.citations', 'In this dialect only text of the model can have citations.')
  },
  // State of a text is another vendor's.
  opaque: notNeeded,
}

/** Text of the model in an earlier turn. */
export const outputText = (part: TextPart, writing: Writing): Content => ({
  type: 'output_text',
  ...writeFields(part, outputTextWriters, writing),
})

const outputTextWriters: FieldWriters<TextPart, Writing> = {
  text: (text) => ({ text }),
  citations: (citations, { losses }, { text }) => {
    const annotations = citations.flatMap((citation) => writeAnnotation(citation, text.length) ?? [])
    if (annotations.length < citations.length) losses.leftOut('turns.citations', 'Citations of documents have no place in this dialect.')
    return annotations.length > 0 ? { annotations } : undefined
  },
  cache: leavesOut('cache', 'Answers of the model cannot carry a cache breakpoint on this upstream.'),
  // Stands on the message.
  phase: writtenElsewhere,
  // State of a text is another vendor's.
  opaque: notNeeded,
}

/** A cache breakpoint; unsupported lifetimes become the nearest supported one. */
export function breakpoint(cache: WrittenFields<CacheMark, { ttl: 'written' }> | undefined, { target, losses }: Writing): Content {
  if (!cache) return {}
  if (target.capabilities.cacheMarksRefused === true) {
    losses.leftOut('cache', 'This model takes no cache breakpoints.')
    return {}
  }
  const ttl = cache.ttl === '12h' ? '12h' : '30m'
  if (ttl !== cache.ttl) losses.adapted('cache.ttl', 'This upstream keeps a cache for 30 minutes or 12 hours.')
  return { prompt_cache_breakpoint: { mode: 'explicit', ttl } }
}

/** Pictures and files may be URLs, unless this upstream is known not to fetch any. */
export const needsBytes = ({ media, source }: MediaPart, { capabilities }: Target): boolean =>
  capabilities.mediaUrlsRefused === true && 'url' in source && (media === 'image' || media === 'document')

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
    // Of sound, which is refused here; that of an answer: request-write-input.ts.
    transcript: 'notNeeded'
    // State of media is another vendor's, as are fields that only one dialect has.
    opaque: 'notNeeded'
    extra: 'notNeeded'
  }
>

/** Throws GatewayError `unsupported_value` for media that this dialect does not support. */
export function mediaContent(part: Media, writing: Writing): Content {
  switch (part.media) {
    case 'image':
      return { ...image(part, writing), ...breakpoint(part.cache, writing) }
    case 'document':
      return { ...file(part, writing), ...breakpoint(part.cache, writing) }
    case 'audio':
    case 'video':
      throw cannotCarry(writing.request, 'turns.media', `This upstream takes no ${part.media}.`, part.path)
  }
}

function image(part: Media, writing: Writing): Content {
  const detail = part.detail ?? 'auto'
  const { source } = part
  if (part.name !== undefined) writing.losses.leftOut('turns.media.name', 'Pictures have no names in this dialect.')
  if ('text' in source) return inputText(source, writing)
  if ('fileId' in source) return { type: 'input_image', detail, file_id: ownFile(source, part, writing) }
  const url = 'url' in source ? source.url : writeDataUrl(part.mimeType ?? 'image/png', source.data)
  return { type: 'input_image', detail, image_url: url }
}

function file(part: Media, writing: Writing): Content {
  const { source, name, title } = part
  if ('text' in source) {
    writing.losses.adapted('turns.document', 'A plain document becomes text under its title.')
    const heading = title ?? name
    return inputText({ text: heading === undefined ? source.text : `${heading}\n\n${source.text}` }, writing)
  }
  if ('fileId' in source) return { type: 'input_file', file_id: ownFile(source, part, writing) }
  const filename = name ?? title
  if ('url' in source) return { type: 'input_file', file_url: source.url, ...(filename !== undefined && { filename }) }
  const mimeType = part.mimeType ?? 'application/pdf'
  return { type: 'input_file', filename: filename ?? fileName(mimeType), file_data: writeDataUrl(mimeType, source.data) }
}

/** The upstream requires a name with every file, and derives the type from its extension. */
const fileName = (mimeType: string) => (mimeType === 'application/pdf' ? 'document.pdf' : 'document')

function ownFile(source: { fileId: string; dialect: string }, part: Media, { request }: Writing): string {
  if (source.dialect === 'responses') return source.fileId
  throw cannotCarry(request, 'turns.media', 'A file id means nothing to another vendor.', part.path)
}

type Item = Record<string, unknown>

/** The `output` of a tool result: a text if that is enough, else parts. */
export function resultOutput(part: ResultPart, writing: Writing): string | Item[] {
  if (part.isError) writing.losses.adapted('result.isError', 'A failed tool says so in its text.')
  const parts = part.isError ? withErrorPrefix(part.parts) : part.parts
  const [only] = parts
  if (!part.cache && (parts.length === 0 || (parts.length === 1 && only?.kind === 'text' && !only.cache))) {
    return only?.kind === 'text' ? only.text : ''
  }
  const written = parts.map((one) => (one.kind === 'text' ? inputText(one, writing) : mediaContent(one, writing)))
  const last = written.at(-1) ?? { type: 'input_text', text: '' }
  return [...written.slice(0, -1), { ...last, ...breakpoint(part.cache, writing) }]
}

function withErrorPrefix(parts: (TextPart | MediaPart)[]): (TextPart | MediaPart)[] {
  const [first, ...rest] = parts
  if (first?.kind === 'text') return [{ ...first, text: `Error: ${first.text}` }, ...rest]
  return [{ kind: 'text', text: 'Error:' }, ...parts]
}
