/**
 * Blocks that only Messages has: server tools and their results, compaction, uploads. They keep their form for their own dialect; any other
 * gets a plain-text description, so that another model does not take them for its own actions.
 */
import type { NativePart } from '#canonical/conversation'
import { exact } from '#shared/exact-numbers'
import { isObject } from '#shared/json'

type Block = Record<string, unknown>

/** Longest summary, in characters: a fetched page is not part of the conversation. */
const longest = 20_000

/** A block of the caller's history, with its text for other dialects. */
export function readNative(block: Block): NativePart {
  const summary = summarise(block)
  return { kind: 'native', dialect: 'messages', raw: block, ...(summary !== '' && { summary: summary.slice(0, longest) }) }
}

/** The text that a person would read in a search result: title, source, text. */
export function searchResultText(block: Block): string {
  return words({ title: block.title, source: block.source, content: block.content }).join('\n')
}

function summarise(block: Block): string {
  const { type } = block
  if (type === 'server_tool_use' || type === 'mcp_tool_use') return `[${named(block.name)} ${JSON.stringify(exact(block.input ?? {}))}]`
  return words(block).join('\n')
}

const named = (name: unknown) => (typeof name === 'string' ? name : 'tool')

/** Keys whose text is meant to be read; everything else is structure, state or data. */
const readable = new Set(['title', 'url', 'source', 'text', 'content', 'stdout', 'stderr', 'error_code'])

function words(value: unknown, depth = 0): string[] {
  if (Array.isArray(value)) return depth > 6 ? [] : value.flatMap((item) => words(item, depth + 1))
  if (!isObject(value) || depth > 6) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    if (!readable.has(key)) return []
    if (typeof inner === 'string') return inner === '' ? [] : [inner]
    return words(inner, depth + 1)
  })
}
