/** One part of a caller's message: what must be understood is checked, a kind that is not known here rides along. */
import type { CacheMark, MediaPart, NativePart, RefusalPart, TextPart } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import { readDataUrl } from '../data-url.ts'
import { type Body, missing, readText, readWord, wrong } from '../fields.ts'

export type ContentPart = TextPart | MediaPart | RefusalPart | NativePart

/** The parts of a `content` that is text or a list. */
export function readContent(content: unknown, path: string): ContentPart[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  if (!Array.isArray(content)) throw wrong(path, 'text or a list of parts')
  return content.map((part, index) => readPart(part, `${path}[${index}]`))
}

/** The texts of a `content` that may hold nothing else. */
export function readTexts(content: unknown, path: string): TextPart[] {
  return readContent(content, path).map((part, index) => {
    if (part.kind !== 'text') throw wrong(`${path}[${index}].type`, 'text')
    return part
  })
}

function readPart(part: unknown, path: string): ContentPart {
  if (!isObject(part)) throw wrong(path, 'an object')
  const read = readKind(part, path)
  const cache = readCache(part)
  return cache && (read.kind === 'text' || read.kind === 'media') ? { ...read, cache } : read
}

function readKind(part: Body, path: string): ContentPart {
  switch (part.type) {
    case 'text':
      return { kind: 'text', text: needed(part, 'text', path) }
    case 'refusal':
      return { kind: 'refusal', text: needed(part, 'refusal', path) }
    case 'image_url':
      return readImage(part.image_url, `${path}.image_url`)
    case 'input_audio':
      return readAudio(part.input_audio, `${path}.input_audio`)
    case 'file':
      return readFile(part.file, `${path}.file`)
    default:
      if (typeof part.type !== 'string') throw wrong(`${path}.type`, 'the kind of the part')
      return { kind: 'native', dialect: 'chat', raw: part }
  }
}

function needed(body: Body, field: string, path: string): string {
  const text = readText(body, field, `${path}.${field}`)
  if (text === undefined) throw missing(`${path}.${field}`)
  return text
}

function readImage(image: unknown, path: string): MediaPart {
  const fields: Body = typeof image === 'string' ? { url: image } : isObject(image) ? image : {}
  const url = needed(fields, 'url', path)
  const embedded = readDataUrl(url)
  const detail = readWord(fields, 'detail', ['auto', 'low', 'high', 'original'] as const, `${path}.detail`)
  return {
    kind: 'media',
    media: 'image',
    ...(embedded ? { source: { data: embedded.data }, mimeType: embedded.mimeType } : { source: { url } }),
    ...(detail !== undefined && { detail }),
    path,
  }
}

/** Other formats than the two of the documents are read too: vendors know more. */
function readAudio(audio: unknown, path: string): MediaPart {
  if (!isObject(audio)) throw missing(path)
  const format = needed(audio, 'format', path)
  if (!/^[\w-]{1,16}$/.test(format)) throw wrong(`${path}.format`, 'the name of a format')
  const mimeType = format === 'mp3' ? 'audio/mpeg' : `audio/${format}`
  return { kind: 'media', media: 'audio', source: { data: needed(audio, 'data', path) }, mimeType, path }
}

function readFile(file: unknown, path: string): MediaPart {
  if (!isObject(file)) throw missing(path)
  const name = readText(file, 'filename', `${path}.filename`)
  const id = readText(file, 'file_id', `${path}.file_id`)
  const part = { kind: 'media', media: 'document', ...(name !== undefined && { name }), path } as const
  if (id !== undefined) return { ...part, source: { fileId: id, dialect: 'chat' } }
  const data = needed(file, 'file_data', path)
  const embedded = readDataUrl(data)
  if (embedded) return { ...part, source: { data: embedded.data }, mimeType: embedded.mimeType }
  // Bare base64: `%PDF` tells what it is.
  return { ...part, source: { data }, ...(data.startsWith('JVBERi') && { mimeType: 'application/pdf' }) }
}

/** OpenAI's breakpoint, or the `cache_control` that many clients write on Chat parts, messages and tools. */
export function readCache(piece: Body): CacheMark | undefined {
  const { prompt_cache_breakpoint: own, cache_control: other } = piece
  if (isObject(own)) return { ttl: own.ttl === '12h' ? '12h' : '30m' }
  if (isObject(other) && other.type === 'ephemeral') return { ttl: other.ttl === '1h' ? '1h' : '5m' }
  return undefined
}
