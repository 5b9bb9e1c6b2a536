/** Parts of messages and of tool results, as a caller writes them. */
import type { CacheMark, Citation, MediaPart, MediaSource, Part, TextPart } from '#canonical/conversation'
import { type Fields, invalidField } from '#protocols/codec/fields'
import { exact } from '#shared/exact-numbers'
import type { ResponsesContent, ResponsesItem } from '#shared/protocols/openai/responses'
import { readDataUrl } from '../data-url.ts'
import { readAnnotations } from './citations.ts'

/** One part; undefined for a kind that has no canonical place. Throws GatewayError 400. */
export function readContentPart(part: Fields<ResponsesContent>): Part | undefined {
  switch (part.json('type')) {
    case 'input_text':
    case 'text':
      return withCache({ kind: 'text', text: part.needText('text') }, part)
    case 'output_text':
      return readOutputText(part)
    case 'refusal':
      return { kind: 'refusal', text: part.needText('refusal') }
    case 'input_image':
      return withCache(readImage(part), part)
    case 'input_file':
      return withCache(readFile(part), part)
    case 'input_audio':
      return readAudio(part)
    default:
      return undefined
  }
}

/** A tool's output: a text, or parts. A part of an unknown kind is kept as its JSON text. Throws GatewayError 400. */
export function readOutput(item: Fields<ResponsesItem>): (TextPart | MediaPart)[] {
  if (item.kind('output') === 'text') return [{ kind: 'text', text: item.needText('output') }]
  return item.objects('output').map((object) => {
    const part = object.as<ResponsesContent>()
    const read = readContentPart(part)
    return read?.kind === 'text' || read?.kind === 'media' ? read : { kind: 'text', text: JSON.stringify(exact(part.whole())) }
  })
}

function readOutputText(part: Fields<ResponsesContent>): TextPart {
  const text: TextPart = { kind: 'text', text: part.needText('text') }
  const citations: Citation[] = readAnnotations(part.json('annotations'))
  // Log probabilities of an earlier answer mean nothing to a model.
  part.ignore('logprobs')
  return citations.length > 0 ? { ...text, citations } : text
}

function withCache<P extends TextPart | MediaPart>(read: P, part: Fields<ResponsesContent>): P {
  const mark = part.object('prompt_cache_breakpoint')
  if (!mark) return read
  // `explicit` is the one mode of a breakpoint.
  mark.ignore('mode')
  const cache: CacheMark = { ttl: mark.word('ttl', ['30m', '12h']) ?? '30m' }
  return { ...read, cache }
}

function readImage(part: Fields<ResponsesContent>): MediaPart {
  const url = part.text('image_url')
  const detail = part.word('detail', ['auto', 'low', 'high', 'original'])
  const found = url === undefined ? storedFile(part, 'image_url') : linked(url, part.pathOf('image_url'))
  return { kind: 'media', media: 'image', ...found, ...(detail && { detail }), path: part.path }
}

function readFile(part: Fields<ResponsesContent>): MediaPart {
  const name = part.text('filename')
  return { kind: 'media', media: 'document', ...fileSource(part), ...(name !== undefined && { name }), path: part.path }
}

interface Found {
  source: MediaSource
  mimeType?: string
}

function fileSource(part: Fields<ResponsesContent>): Found {
  const data = part.text('file_data')
  if (data?.startsWith('data:')) return linked(data, part.pathOf('file_data'))
  if (data !== undefined) return { source: { data }, mimeType: 'application/pdf' }
  const url = part.text('file_url')
  return url === undefined ? storedFile(part, 'file_data') : { source: { url } }
}

function linked(url: string, param: string): Found {
  if (!/^data:/i.test(url)) return { source: { url } }
  const inline = readDataUrl(url)
  if (!inline) throw invalidField(param, 'a link or a well-formed data URL')
  return { source: { data: inline.data }, mimeType: inline.mimeType }
}

function storedFile(part: Fields<ResponsesContent>, otherwise: 'image_url' | 'file_data'): Found {
  const fileId = part.text('file_id')
  if (fileId === undefined) throw invalidField(part.pathOf(otherwise), 'given')
  return { source: { fileId, dialect: 'responses' } }
}

function readAudio(part: Fields<ResponsesContent>): MediaPart {
  const audio = part.needObject('input_audio')
  const format = audio.word('format', ['wav', 'mp3']) ?? 'wav'
  const data = audio.needText('data')
  return { kind: 'media', media: 'audio', source: { data }, mimeType: format === 'mp3' ? 'audio/mpeg' : 'audio/wav', path: part.path }
}
