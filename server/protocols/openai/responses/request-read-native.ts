/** Items of a conversation that have no canonical place: whose they are, and what they amount to in words. */
import type { NativePart, Turn } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import { compactionState } from './compaction.ts'

type Item = Record<string, unknown>

/** Items that set something, or stand for what came before; neither side said them. */
const settings = new Set(['compaction', 'compaction_trigger', 'additional_tools', 'configuration_update'])

/** Who brought an item: what a tool answered, what the client set, or else what the model did. */
export function roleOf({ type }: Item): Turn['role'] {
  if (typeof type !== 'string') return 'assistant'
  if (settings.has(type)) return 'user'
  return type.endsWith('_output') || type === 'mcp_approval_response' ? 'tool' : 'assistant'
}

/** An item of a caller's history, with the words that stand in for it where it cannot go. */
export function nativeItem(item: Item): NativePart {
  const summary = summaryOf(item)
  return { kind: 'native', dialect: 'responses', raw: item, ...(summary !== undefined && { summary }), ...compactionState(item) }
}

const bookkeeping = new Set(['type', 'id', 'status', 'call_id', 'created_by', 'encrypted_content', 'result', 'fingerprint'])
const longest = 4096

/** Only what a tool did or answered can be told in words. */
function summaryOf(item: Item): string | undefined {
  const { type } = item
  if (typeof type !== 'string' || !/_call(?:_output)?$|^mcp_list_tools$/.test(type)) return undefined
  const label = type.replaceAll('_', ' ')
  if (type === 'web_search_call') return `[${label}: ${searchWords(item.action)}]`
  const told = Object.fromEntries(Object.entries(item).filter(([key]) => !bookkeeping.has(key)))
  return `[${label}: ${JSON.stringify(told).slice(0, longest)}]`
}

function searchWords(action: unknown): string {
  if (!isObject(action)) return ''
  const words = [action.query, action.queries, action.url, action.pattern].flat()
  return [...new Set(words.filter((word) => typeof word === 'string'))].join(', ').slice(0, longest)
}
