/** One part of a caller's message: known kinds are checked, unknown ones are carried along. */
import type { CacheMark, MediaPart, NativePart, RefusalPart, TextPart } from '#canonical/conversation'
import { type Fields, type ItemReader, invalidField } from '#protocols/codec/fields'
import type { ChatMessage, ChatPart } from '#shared/protocols/openai/chat'
import { readDataUrl } from '../data-url.ts'

export type ContentPart = TextPart | MediaPart | RefusalPart | NativePart

/** The parts of a message's `content`, which is a text or a list. Throws GatewayError 400. */
export function readContent(message: Fields<ChatMessage>): ContentPart[] {
  switch (message.kind('content')) {
    case 'text':
      return [{ kind: 'text', text: message.needText('content') }]
    case 'list':
      return message.each('content', partReader)
    default:
      throw invalidField(message.pathOf('content'), 'text or a list of parts')
  }
}

/** The texts of a `content` that may hold nothing else. Throws GatewayError 400. */
export function readTexts(message: Fields<ChatMessage>): TextPart[] {
  return readContent(message).map((part, index) => {
    if (part.kind !== 'text') throw invalidField(`${message.pathOf('content')}[${index}].type`, 'text')
    return part
  })
}

/** Nearly all parts only have a text. */
const partReader: ItemReader<ChatPart, ContentPart> = {
  first: 'type',
  second: 'text',
  plain: (type, text) => (type === 'text' ? { kind: 'text', text } : undefined),
  read: readPart,
}

function readPart(part: Fields<ChatPart>): ContentPart {
  const read = readKind(part)
  if (read.kind === 'native') return read
  const cache = readCache(part)
  return cache && read.kind !== 'refusal' ? { ...read, cache } : read
}

function readKind(part: Fields<ChatPart>): ContentPart {
  switch (part.textIf('type')) {
    case undefined:
      throw invalidField(part.pathOf('type'), 'the kind of the part')
    case 'text':
      return { kind: 'text', text: part.needText('text') }
    case 'refusal':
      return { kind: 'refusal', text: part.needText('refusal') }
    case 'image_url':
      return readImage(part)
    case 'input_audio':
      return readAudio(part)
    case 'file':
      return readFile(part)
    case 'video_url':
      return readVideo(part)
    default:
      return { kind: 'native', dialect: 'chat', raw: part.whole() }
  }
}

/** Many clients write just the URL, without an object around it. */
function readImage(part: Fields<ChatPart>): MediaPart {
  const path = part.pathOf('image_url')
  const fields = part.kind('image_url') === 'text' ? undefined : part.needObject('image_url')
  const url = fields ? fields.needText('url') : part.needText('image_url')
  const detail = fields?.word('detail', ['auto', 'low', 'high', 'original'])
  const embedded = readDataUrl(url)
  return {
    kind: 'media',
    media: 'image',
    ...(embedded ? { source: { data: embedded.data }, mimeType: embedded.mimeType } : { source: { url } }),
    ...(detail !== undefined && { detail }),
    path,
  }
}

/** Formats beyond the two in OpenAI's documents are read too: other vendors take more. */
function readAudio(part: Fields<ChatPart>): MediaPart {
  const audio = part.needObject('input_audio')
  const format = audio.needText('format')
  if (!/^[\w-]{1,16}$/.test(format)) throw invalidField(audio.pathOf('format'), 'the name of a format')
  const mimeType = format === 'mp3' ? 'audio/mpeg' : `audio/${format}`
  return { kind: 'media', media: 'audio', source: { data: audio.needText('data') }, mimeType, path: audio.path }
}

/** What several vendors add to OpenAI's kinds. */
function readVideo(part: Fields<ChatPart>): MediaPart {
  const video = part.needObject('video_url')
  const url = video.needText('url')
  const embedded = readDataUrl(url)
  const source = embedded ? { source: { data: embedded.data }, mimeType: embedded.mimeType } : { source: { url } }
  return { kind: 'media', media: 'video', ...source, path: video.path }
}

function readFile(message: Fields<ChatPart>): MediaPart {
  const file = message.needObject('file')
  const name = file.text('filename')
  const id = file.text('file_id')
  const part = { kind: 'media', media: 'document', ...(name !== undefined && { name }), path: file.path } as const
  if (id !== undefined) return { ...part, source: { fileId: id, dialect: 'chat' } }
  const data = file.needText('file_data')
  const embedded = readDataUrl(data)
  if (embedded) return { ...part, source: { data: embedded.data }, mimeType: embedded.mimeType }
  // Bare base64: `%PDF` reveals the type.
  return { ...part, source: { data }, ...(data.startsWith('JVBERi') && { mimeType: 'application/pdf' }) }
}

/** OpenAI's breakpoint, or the `cache_control` that many clients write on Chat parts, messages and tools. */
export function readCache(piece: Fields<Pick<ChatPart, 'prompt_cache_breakpoint' | 'cache_control'>>): CacheMark | undefined {
  const own = piece.objectIf('prompt_cache_breakpoint')
  const other = piece.objectIf('cache_control')
  const ttl = other?.json('ttl')
  const isMark = other?.json('type') === 'ephemeral'
  if (own) {
    own.ignore('mode')
    return { ttl: own.json('ttl') === '12h' ? '12h' : '30m' }
  }
  return isMark ? { ttl: ttl === '1h' ? '1h' : '5m' } : undefined
}
