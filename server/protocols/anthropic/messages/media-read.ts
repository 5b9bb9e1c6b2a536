/** Images and documents of a request. */
import type { CacheMark, MediaPart, MediaSource, NativePart } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import { wrong } from './check.ts'
import { readNative } from './natives.ts'

type Block = Record<string, unknown>

/** A cache breakpoint, or undefined when the block has none. */
export function readMark({ cache_control: mark }: Block): CacheMark | undefined {
  if (!isObject(mark)) return undefined
  return { ttl: mark.ttl === '1h' ? '1h' : '5m' }
}

/**
 * An `image` or `document` block. `notes` collects what has no place in the conversation. A document made of several blocks
 * keeps its own form. Throws GatewayError 400 when the source is not understood.
 */
export function readMedia(block: Block, path: string, notes: Set<string>): MediaPart | NativePart {
  const { source, title, context, citations } = block
  if (!isObject(source)) throw wrong(`${path}.source`, 'an object')
  if (source.type === 'content') return readNative(block)
  const extra = { ...(context ? { context } : {}), ...(isObject(citations) && citations.enabled === true && { citations }) }
  for (const key of Object.keys(extra)) notes.add(`document.${key}`)
  const cache = readMark(block)
  return {
    kind: 'media',
    media: block.type === 'image' ? 'image' : 'document',
    source: readSource(source, `${path}.source`),
    ...(typeof source.media_type === 'string' && { mimeType: source.media_type }),
    ...(typeof title === 'string' && title !== '' && { title }),
    ...(cache && { cache }),
    ...(Object.keys(extra).length > 0 && { extra }),
    path,
  }
}

function readSource(source: Block, path: string): MediaSource {
  const field = (key: string): string => {
    const value = source[key]
    if (typeof value !== 'string' || value === '') throw wrong(`${path}.${key}`, 'text that is not empty')
    return value
  }
  switch (source.type) {
    case 'base64':
      return { data: field('data') }
    case 'url':
      return { url: field('url') }
    case 'file':
      return { fileId: field('file_id'), dialect: 'messages' }
    case 'text':
      return { text: field('data') }
    default:
      throw wrong(`${path}.type`, 'one of base64, url, file, text, content')
  }
}
