/** Citations in Chat: ranges of the whole content, however many text parts it consists of. */
import type { Citation } from '#canonical/conversation'
import type { LossList } from '#canonical/loss'
import type { WrittenFields } from '#protocols/codec/field-writers'
import { isObject } from '#shared/json'
import type { Body } from '../fields.ts'

/** `base` is where the part begins in the content. Only web links are supported here. */
export function readAnnotations(annotations: unknown, base = 0): Citation[] {
  if (!Array.isArray(annotations)) return []
  return annotations.flatMap((annotation) => {
    if (!isObject(annotation) || annotation.type !== 'url_citation') return []
    const fields: Body = isObject(annotation.url_citation) ? annotation.url_citation : annotation
    const { url, title } = fields
    const start = offset(fields.start_index, base)
    const end = offset(fields.end_index, base)
    return [
      {
        kind: 'web' as const,
        ...(typeof url === 'string' && { url }),
        ...(typeof title === 'string' && { title }),
        ...(start !== undefined && { start }),
        ...(end !== undefined && { end }),
      },
    ]
  })
}

/** The sources of the whole answer, as Perplexity lists them next to it; their positions in the text are unknown. */
export function readSources({ search_results, citations }: Body): Citation[] {
  const found = new Map<string, Citation>()
  for (const result of Array.isArray(search_results) ? search_results : []) {
    if (!isObject(result) || typeof result.url !== 'string') continue
    found.set(result.url, { kind: 'web', url: result.url, ...(typeof result.title === 'string' && { title: result.title }) })
  }
  for (const url of Array.isArray(citations) ? citations : []) {
    if (typeof url === 'string' && !found.has(url)) found.set(url, { kind: 'web', url })
  }
  return [...found.values()]
}

function offset(index: unknown, base: number): number | undefined {
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= base ? index - base : undefined
}

type Source = WrittenFields<
  Citation,
  { url: 'written'; title: 'written'; start: 'written'; end: 'written'; citedText: 'notNeeded'; opaque: 'notNeeded'; raw: 'notNeeded' }
>

/** `base` and `length` place the part in the content; a citation without a range covers the whole part. */
export function writeAnnotation(citation: Source, base: number, length: number, losses: LossList): Body | undefined {
  if (citation.url === undefined) {
    losses.leftOut('response.citations', 'Citations of documents have no place in this dialect.')
    return undefined
  }
  const { url, title = '', start = 0, end = length } = citation
  return { type: 'url_citation', url_citation: { start_index: base + start, end_index: base + end, title, url } }
}
