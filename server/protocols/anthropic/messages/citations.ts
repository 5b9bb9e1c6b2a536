/** Citations: a block's own list in Messages, places on the web or in a document for all other dialects. */
import type { Citation } from '#canonical/conversation'
import type { WrittenFields } from '#protocols/codec/field-writers'
import { isObject } from '#shared/json'

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** One citation of a text block; undefined unless it is an object. Document positions keep their form in `raw`. */
export function readCitation(raw: unknown): Citation | undefined {
  if (!isObject(raw)) return undefined
  const url = text(raw.url) ?? (raw.type === 'search_result_location' ? text(raw.source) : undefined)
  const title = text(raw.title) ?? text(raw.document_title)
  const citedText = text(raw.cited_text)
  const index = text(raw.encrypted_index)
  return {
    kind: raw.type === 'web_search_result_location' ? 'web' : 'document',
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(citedText !== undefined && { citedText }),
    ...(index !== undefined && { opaque: [{ dialect: 'messages', kind: 'citation-index', value: index }] }),
    raw,
  }
}

/** Texts are cited whole here, without places in them. */
type Source = WrittenFields<
  Citation,
  { raw: 'written'; url: 'written'; title: 'written'; citedText: 'written'; opaque: 'written'; start: 'notNeeded'; end: 'notNeeded' }
>

/**
 * A citation for a client; undefined if it has no web address and did not come from this dialect. The opaque index is returned as it is,
 * perhaps sealed by Parley.
 */
export function writeCitation(citation: Source): Record<string, unknown> | undefined {
  const { url, title, citedText } = citation
  const own = writeOwnCitation(citation)
  if (own || url === undefined) return own
  const encrypted_index = indexOf(citation) ?? ''
  return { type: 'web_search_result_location', url, title: title ?? null, cited_text: citedText ?? '', encrypted_index }
}

/** A citation that this vendor made, for the vendor; undefined for all others. */
export function writeOwnCitation(citation: Source): Record<string, unknown> | undefined {
  const { raw } = citation
  if (!isObject(raw) || !places.has(String(raw.type))) return undefined
  const index = indexOf(citation)
  return index === undefined ? raw : { ...raw, encrypted_index: index }
}

const indexOf = ({ opaque }: Source) => opaque?.find(({ dialect, kind }) => dialect === 'messages' && kind === 'citation-index')?.value

const places = new Set(['char_location', 'page_location', 'content_block_location', 'search_result_location', 'web_search_result_location'])
