/** Annotations of output text: citations of web pages and of files. */
import type { Citation } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'
import { isObject } from '#shared/json'

/** Tolerant: invalid annotations are left out; unknown kinds are kept unchanged. */
export function readAnnotations(annotations: unknown): Citation[] {
  return Array.isArray(annotations) ? annotations.filter(isObject).map(readAnnotation) : []
}

/** One annotation as a citation; `raw` has the original. */
export function readAnnotation(annotation: Record<string, unknown>): Citation {
  const { type, url, title, filename, start_index: start, end_index: end } = annotation
  const citation: Citation = { kind: type === 'url_citation' ? 'web' : 'document', raw: annotation }
  if (typeof url === 'string') citation.url = url
  const name = title ?? filename
  if (typeof name === 'string' && name !== '') citation.title = name
  if (isPlace(start) && isPlace(end) && start <= end) {
    citation.start = start
    citation.end = end
  }
  return citation
}

const isPlace = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

type Source = WrittenFields<
  Citation,
  { raw: 'written'; url: 'written'; title: 'written'; start: 'written'; end: 'written'; citedText: 'notNeeded'; opaque: 'notNeeded' }
>

/** `textLength` is used if the citation covers the whole part. Undefined for one that only its own dialect can express. */
export function writeAnnotation(citation: Source, textLength: number): Record<string, unknown> | undefined {
  if (isOwn(citation.raw)) return citation.raw
  if (citation.url === undefined) return undefined
  return {
    type: 'url_citation',
    start_index: citation.start ?? 0,
    end_index: citation.end ?? textLength,
    url: citation.url,
    title: citation.title ?? '',
  }
}

/** The kinds of this dialect; other dialects' raw citations have other names or other fields. */
function isOwn(raw: unknown): raw is Record<string, unknown> {
  if (!isObject(raw)) return false
  const { type } = raw
  if (type === 'url_citation') return typeof raw.url === 'string' && typeof raw.start_index === 'number'
  return type === 'file_citation' || type === 'container_file_citation' || type === 'file_path'
}
