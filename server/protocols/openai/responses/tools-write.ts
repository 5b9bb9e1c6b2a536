/** Tools and the choice among them, as this dialect writes them. */
import type { ConversationRequest, Tool } from '#canonical/conversation'
import { hostedTool, type LossList } from '#canonical/loss'
import type { ToolNames } from '#canonical/tool-names'
import { isObject } from '#wire/json-scan'

type Item = Record<string, unknown>
type Named = Extract<Tool, { kind: 'function' | 'custom' }>

export interface ToolWriting {
  request: ConversationRequest
  losses: LossList
  names: Pick<ToolNames, 'out'>
  /** What a function without a word about it is: strict upstream, unless it is said. */
  strict: boolean | undefined
}

/** Tools of a namespace stand together, where the first of them stood. */
export function writeTools(writing: ToolWriting): Item[] {
  const { request, losses } = writing
  const spaces = new Map<string, Item[]>()
  const items: Item[] = []
  for (const tool of request.tools) {
    if (tool.kind === 'web-search') items.push(searchTool(tool))
    else if (tool.kind === 'native') {
      if (tool.dialect === 'responses' && isObject(tool.raw)) items.push(tool.raw)
      else losses.dropped(hostedTool(tool.name), 'A hosted tool of another vendor.')
    } else if (tool.namespace === undefined) items.push(namedTool(tool, writing))
    else spaceOf(tool.namespace, spaces, items, request).push(namedTool(tool, writing))
  }
  return items
}

function spaceOf(name: string, spaces: Map<string, Item[]>, items: Item[], { extensions }: ConversationRequest): Item[] {
  const known = spaces.get(name)
  if (known) return known
  const tools: Item[] = []
  spaces.set(name, tools)
  const told = isObject(extensions.responses?.namespaces) ? extensions.responses.namespaces[name] : undefined
  items.push({ type: 'namespace', name, description: '', ...(isObject(told) && told), tools })
  return tools
}

function namedTool(tool: Named, { request, losses, names, strict }: ToolWriting): Item {
  const isOwn = request.dialect === 'responses'
  if (tool.kind === 'function' && tool.cache) losses.forgotten('tools.cache', 'Tools cannot carry a cache breakpoint on this upstream.')
  const head = {
    type: tool.kind,
    name: tool.namespace === undefined ? names.out(tool.name) : tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    ...(isOwn && tool.extra),
  }
  if (tool.kind === 'custom') return { ...head, format: tool.grammar ? { type: 'grammar', ...tool.grammar } : { type: 'text' } }
  const isStrict = tool.strict ?? strict
  return { ...head, parameters: tool.parameters, ...(isStrict !== undefined && { strict: isStrict }) }
}

function searchTool(tool: Extract<Tool, { kind: 'web-search' }>): Item {
  if (tool.dialect === 'responses' && isObject(tool.raw)) return tool.raw
  const { allowedDomains, blockedDomains, contextSize, location } = tool
  const filters = { ...(allowedDomains && { allowed_domains: allowedDomains }), ...(blockedDomains && { blocked_domains: blockedDomains }) }
  return {
    type: 'web_search',
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(contextSize && { search_context_size: contextSize }),
    ...(location && { user_location: { type: 'approximate', ...location } }),
  }
}

/** Undefined where nothing needs to be said. */
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
