/** Parts of messages and of tool results, as a caller writes them. What is not known here is answered as undefined. */
import type { CacheMark, Citation, MediaPart, MediaSource, Part, TextPart } from '#canonical/conversation'
import { readDataUrl } from '../data-url.ts'
import { type Body, isAbsent, readText, readWord, wrong } from '../fields.ts'
import { neededText, readObject, readObjects } from './checks.ts'
import { readAnnotations } from './citations.ts'

/** One part; undefined for a kind that has no canonical place. Throws GatewayError 400. */
export function readContentPart(part: Body, path: string): Part | undefined {
  switch (part.type) {
    case 'input_text':
    case 'text':
      return withCache({ kind: 'text', text: neededText(part, 'text', `${path}.text`) }, part, path)
    case 'output_text':
      return outputText(part, path)
    case 'refusal':
      return { kind: 'refusal', text: neededText(part, 'refusal', `${path}.refusal`) }
    case 'input_image':
      return withCache(readImage(part, path), part, path)
    case 'input_file':
      return withCache(readFile(part, path), part, path)
    case 'input_audio':
      return readAudio(part, path)
    default:
      return undefined
  }
}

/** What a tool answered: a text, or parts. A kind of part that is not known is kept as its JSON text. */
export function readOutput(item: Body, path: string): (TextPart | MediaPart)[] {
  const { output } = item
  if (isAbsent(output)) return []
  if (typeof output === 'string') return [{ kind: 'text', text: output }]
  return readObjects(item, 'output', path).map(([part, at]) => {
    const read = readContentPart(part, at)
    return read?.kind === 'text' || read?.kind === 'media' ? read : { kind: 'text', text: JSON.stringify(part) }
  })
}

function outputText(part: Body, path: string): TextPart {
  const text: TextPart = { kind: 'text', text: neededText(part, 'text', `${path}.text`) }
  const citations: Citation[] = readAnnotations(part.annotations)
  return citations.length > 0 ? { ...text, citations } : text
}

function withCache<P extends TextPart | MediaPart>(read: P, part: Body, path: string): P {
  const param = `${path}.prompt_cache_breakpoint`
  const mark = readObject(part, 'prompt_cache_breakpoint', param)
  const cache: CacheMark | undefined = mark && { ttl: readWord(mark, 'ttl', ['30m', '12h'], `${param}.ttl`) ?? '30m' }
  return cache ? { ...read, cache } : read
}

function readImage(part: Body, path: string): MediaPart {
  const url = readText(part, 'image_url', `${path}.image_url`)
  const detail = readWord(part, 'detail', ['auto', 'low', 'high', 'original'], `${path}.detail`)
  const found = url === undefined ? storedFile(part, path, 'image_url') : linked(url, `${path}.image_url`)
  return { kind: 'media', media: 'image', ...found, ...(detail && { detail }), path }
}

function readFile(part: Body, path: string): MediaPart {
  const name = readText(part, 'filename', `${path}.filename`)
  return { kind: 'media', media: 'document', ...fileSource(part, path), ...(name !== undefined && { name }), path }
}

type Found = { source: MediaSource; mimeType?: string }

function fileSource(part: Body, path: string): Found {
  const data = readText(part, 'file_data', `${path}.file_data`)
  if (data?.startsWith('data:')) return linked(data, `${path}.file_data`)
  if (data !== undefined) return { source: { data }, mimeType: 'application/pdf' }
  const url = readText(part, 'file_url', `${path}.file_url`)
  return url === undefined ? storedFile(part, path, 'file_data') : { source: { url } }
}

function linked(url: string, param: string): Found {
  if (!/^data:/i.test(url)) return { source: { url } }
  const inline = readDataUrl(url)
  if (!inline) throw wrong(param, 'a link or a well-formed data URL')
  return { source: { data: inline.data }, mimeType: inline.mimeType }
}

function storedFile(part: Body, path: string, otherwise: string): Found {
  const fileId = readText(part, 'file_id', `${path}.file_id`)
  if (fileId === undefined) throw wrong(`${path}.${otherwise}`, 'given')
  return { source: { fileId, dialect: 'responses' } }
}

function readAudio(part: Body, path: string): MediaPart {
  const param = `${path}.input_audio`
  const audio = readObject(part, 'input_audio', param) ?? {}
  const format = readWord(audio, 'format', ['wav', 'mp3'], `${param}.format`) ?? 'wav'
  const data = neededText(audio, 'data', `${param}.data`)
  return { kind: 'media', media: 'audio', source: { data }, mimeType: format === 'mp3' ? 'audio/mpeg' : 'audio/wav', path }
}
