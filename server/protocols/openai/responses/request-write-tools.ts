/** Tools and the choice among them, as this dialect writes them. */
import type { ConversationRequest, Tool, ToolExtra } from '#canonical/conversation'
import { hostedTool, type LossList } from '#canonical/loss'
import {
  type FieldWriters,
  type KindWriters,
  leavesOut,
  notNeeded,
  type WrittenKind,
  writeFields,
  writeKind,
  writtenElsewhere,
} from '#protocols/codec/field-writers'
import type { ToolNames } from '#protocols/codec/tool-names'
import { isObject } from '#shared/json'

type Item = Record<string, unknown>
type Named = Extract<Tool, { kind: 'function' | 'custom' }>
type NativeTool = WrittenKind<Tool, 'native', { dialect: 'written'; name: 'written'; raw: 'written' }>

export interface ToolWriting {
  request: ConversationRequest
  losses: LossList
  names: Pick<ToolNames, 'out'>
  /** The value for a function that does not set `strict`: upstreams default to strict. */
  strict: boolean | undefined
}

/** The tools written so far. */
interface ToolDraft extends ToolWriting {
  items: Item[]
  /** Tools by their namespace. */
  spaces: Map<string, Item[]>
}

/** Tools of a namespace are grouped at the position of the first of them. */
export function writeTools(writing: ToolWriting): Item[] {
  const draft: ToolDraft = { ...writing, items: [], spaces: new Map() }
  for (const tool of writing.request.tools) writeKind(tool, toolWriters, draft)
  return draft.items
}

const toolWriters: KindWriters<Tool, ToolDraft, void> = {
  function: (tool, draft) => {
    const { strict } = draft
    const fields = writeFields(tool, functionWriters, draft)
    placeOf(tool, draft).push({ type: 'function', ...(strict !== undefined && { strict }), ...fields })
  },
  custom: (tool, draft) => {
    placeOf(tool, draft).push({ type: 'custom', format: { type: 'text' }, ...writeFields(tool, customWriters, draft) })
  },
  'web-search': (tool, { items }) => {
    const isOwn = tool.dialect === 'responses' && isObject(tool.raw)
    items.push(isOwn ? (tool.raw as Item) : { type: 'web_search', ...writeFields(tool, searchWriters, undefined) })
  },
  native: (tool: NativeTool, { items, losses }) => {
    if (tool.dialect === 'responses' && isObject(tool.raw)) items.push(tool.raw)
    else losses.dropped(hostedTool(tool.name), 'A hosted tool of another vendor.')
  },
}

const placeOf = ({ namespace }: Named, draft: ToolDraft): Item[] =>
  namespace === undefined ? draft.items : spaceOf(namespace, draft.spaces, draft.items, draft.request)

function spaceOf(name: string, spaces: Map<string, Item[]>, items: Item[], { extensions }: ConversationRequest): Item[] {
  const known = spaces.get(name)
  if (known) return known
  const tools: Item[] = []
  spaces.set(name, tools)
  const spaceFields = isObject(extensions.responses?.namespaces) ? extensions.responses.namespaces[name] : undefined
  items.push({ type: 'namespace', name, description: '', ...(isObject(spaceFields) && spaceFields), tools })
  return tools
}

type ToolOf<Kind extends Tool['kind']> = Extract<Tool, { kind: Kind }>

/** In a namespace a tool keeps its own name. */
const toolName = (name: string, { names }: ToolWriting, { namespace }: Named): Item => ({
  name: namespace === undefined ? names.out(name) : name,
})

/** Fields of a tool that only this dialect has; `recordForeign` records those of other dialects. */
const ownExtra = (extra: ToolExtra, { request }: ToolWriting): Item | undefined => (request.dialect === 'responses' ? extra : undefined)

const functionWriters: FieldWriters<ToolOf<'function'>, ToolWriting> = {
  name: toolName,
  namespace: writtenElsewhere,
  description: (description) => ({ description }),
  extra: ownExtra,
  parameters: (parameters) => ({ parameters }),
  strict: (strict) => ({ strict }),
  cache: leavesOut('tools.cache', 'Tools cannot carry a cache breakpoint on this upstream.'),
}

const customWriters: FieldWriters<ToolOf<'custom'>, ToolWriting> = {
  name: toolName,
  namespace: writtenElsewhere,
  description: (description) => ({ description }),
  extra: ownExtra,
  grammar: (grammar) => ({ format: { type: 'grammar', ...grammar } }),
}

const searchWriters: FieldWriters<ToolOf<'web-search'>, undefined> = {
  allowedDomains: (allowed, _, { blockedDomains: blocked }) => searchFilters(allowed, blocked),
  blockedDomains: (blocked, _, { allowedDomains: allowed }) => searchFilters(allowed, blocked),
  contextSize: (search_context_size) => ({ search_context_size }),
  location: (location) => ({ user_location: { type: 'approximate', ...location } }),
  live: (external_web_access) => ({ external_web_access }),
  // A limit of all hosted tools together: request-write.ts.
  maxUses: writtenElsewhere,
  // The tool as another dialect has it.
  raw: notNeeded,
  dialect: notNeeded,
  // `recordForeign` records them.
  unread: notNeeded,
}

const searchFilters = (allowed: string[] | undefined, blocked: string[] | undefined): Item => ({
  filters: { ...(allowed && { allowed_domains: allowed }), ...(blocked && { blocked_domains: blocked }) },
})

/** Undefined if not needed. */
export function writeToolChoice({ request, names }: ToolWriting): unknown {
  const { mode, only } = request.toolPolicy
  const raw = request.extensions.responses?.tool_choice
  if (raw !== undefined) return raw
  if (!only || only.length === 0 || mode === 'none') return mode === 'auto' ? undefined : mode
  const choices = only.map((name) => toolChoice(name, request.tools, names))
  const [forced] = choices
  return mode === 'required' && choices.length === 1 ? forced : { type: 'allowed_tools', mode, tools: choices }
}

function toolChoice(name: string, tools: readonly Tool[], names: Pick<ToolNames, 'out'>): Item {
  const tool = tools.find((one) => (one.kind === 'function' || one.kind === 'custom') && one.name === name)
  if (tool?.kind !== 'function' && tool?.kind !== 'custom') return { type: 'function', name: names.out(name) }
  return { type: tool.kind, name: tool.namespace === undefined ? names.out(name) : tool.name }
}
