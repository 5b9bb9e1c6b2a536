/** The tools of a request, and which of them may or must be called. */
import type { Tool, ToolPolicy } from '#canonical/conversation'
import { type Fields, invalidField, type JsonObject } from '#protocols/codec/fields'
import { exact } from '#shared/exact-numbers'
import type { ResponsesItem, ResponsesRequest, ResponsesTool } from '#shared/protocols/openai/responses'

/** A namespace is flattened; its own fields are in `namespaces`, by name. */
export interface ToolSet {
  tools: Tool[]
  namespaces: Record<string, JsonObject>
}

/** The tools of the request, and of items with further ones. Throws GatewayError 400. Hosted tools are kept unchanged. */
export function readTools(body: Fields<ResponsesRequest>, items: readonly Fields<ResponsesItem>[] | undefined): ToolSet {
  const set: ToolSet = { tools: [], namespaces: {} }
  addTools(set, body)
  if (items) for (const item of items) addTools(set, item)
  return { ...set, tools: withMostCalls(items ? onceEach(set.tools) : set.tools, body) }
}

function addTools(set: ToolSet, from: Fields<Pick<ResponsesRequest, 'tools'>> | Fields<ResponsesItem>): void {
  const holder = from.as<Pick<ResponsesRequest, 'tools'>>()
  const raws = listOf(holder.json('tools'))
  for (const [index, tool] of holder.objects('tools').entries()) {
    if (tool.json('type') === 'namespace') readNamespace(set, tool)
    else set.tools.push(readTool(tool, raws[index]))
  }
}

/** An item may repeat a tool, or change it: the last one counts, since upstreams refuse two of a name. */
function onceEach(tools: readonly Tool[]): Tool[] {
  const named = new Map<string, Tool>()
  for (const [index, tool] of tools.entries()) {
    const isOwn = tool.kind === 'function' || tool.kind === 'custom'
    named.set(isOwn ? JSON.stringify([tool.namespace, tool.name]) : `${index}`, tool)
  }
  return [...named.values()]
}

/** The limit of all hosted tools applies to the search if it is the only one. */
function withMostCalls(tools: Tool[], body: Fields<ResponsesRequest>): Tool[] {
  const maxUses = body.kind('max_tool_calls') === 'number' ? body.json('max_tool_calls') : undefined
  const hosted = tools.filter(({ kind }) => kind === 'web-search' || kind === 'native')
  if (typeof maxUses !== 'number' || hosted.length !== 1) return tools
  return tools.map((tool) => (tool.kind === 'web-search' ? { ...tool, maxUses } : tool))
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function readNamespace(set: ToolSet, space: Fields<ResponsesTool>): void {
  const namespace = space.needText('name')
  const raws = listOf(space.json('tools'))
  for (const [index, tool] of space.objects('tools').entries()) {
    const read = readTool(tool.as<ResponsesTool>(), raws[index])
    set.tools.push(read.kind === 'function' || read.kind === 'custom' ? { ...read, namespace } : read)
  }
  set.namespaces[namespace] = space.rest()
}

/** `raw` is the tool unchanged. */
function readTool(tool: Fields<ResponsesTool>, raw: unknown): Tool {
  const type = tool.needText('type')
  if (type === 'function') return readFunction(tool)
  if (type === 'custom') return readCustom(tool)
  if (type.startsWith('web_search')) return readSearch(tool, raw)
  return { kind: 'native', dialect: 'responses', name: type, raw: tool.whole() }
}

function readFunction(tool: Fields<ResponsesTool>): Tool {
  const strict = tool.flag('strict')
  return {
    kind: 'function',
    name: toolName(tool),
    ...described(tool),
    parameters: exact(tool.as<{ parameters?: object }>().object('parameters')?.whole()) ?? { type: 'object', properties: {} },
    ...(strict !== undefined && { strict }),
    ...extraOf(tool),
  }
}

function readCustom(tool: Fields<ResponsesTool>): Tool {
  const format = tool.object('format')
  const grammar = format?.json('type') === 'grammar' && { syntax: format.needText('syntax'), definition: format.needText('definition') }
  return { kind: 'custom', name: toolName(tool), ...described(tool), ...(grammar && { grammar }), ...extraOf(tool) }
}

/** All other fields of a tool; call it last. */
function extraOf(tool: Fields<ResponsesTool>): { extra?: JsonObject } {
  const extra = tool.rest()
  return Object.keys(extra).length > 0 ? { extra } : {}
}

function toolName(tool: Fields<ResponsesTool>): string {
  const name = tool.needText('name')
  if (name === '') throw invalidField(tool.pathOf('name'), 'a name')
  return name
}

function described(tool: Fields<ResponsesTool>): { description?: string } {
  const description = tool.text('description')
  return description === undefined ? {} : { description }
}

function readSearch(tool: Fields<ResponsesTool>, raw: unknown): Tool {
  const filters = tool.object('filters')
  const allowedDomains = texts(filters?.json('allowed_domains'))
  const blockedDomains = texts(filters?.json('blocked_domains'))
  const contextSize = tool.word('search_context_size', ['low', 'medium', 'high'])
  const location = tool.object('user_location')?.whole()
  const live = tool.kind('external_web_access') === 'flag' ? tool.flag('external_web_access') : undefined
  const unread = [...tool.unread(), ...(filters?.unread() ?? [])]
  // An upstream of this dialect gets the tool unchanged.
  filters?.whole()
  tool.whole()
  return {
    kind: 'web-search',
    ...(allowedDomains.length > 0 && { allowedDomains }),
    ...(blockedDomains.length > 0 && { blockedDomains }),
    ...(contextSize && { contextSize }),
    ...(location && { location }),
    ...(live !== undefined && { live }),
    raw,
    dialect: 'responses',
    ...(unread.length > 0 && { unread }),
  }
}

const texts = (value: unknown): string[] => listOf(value).filter((one) => typeof one === 'string')

export interface Choice {
  policy: ToolPolicy
  /** A choice that only this dialect has, unchanged. */
  raw?: unknown
}

/** `tool_choice` and `parallel_tool_calls`. Throws GatewayError 400. */
export function readToolPolicy(body: Fields<ResponsesRequest>): Choice {
  const choice = readChoice(body)
  const parallel = body.flag('parallel_tool_calls')
  return parallel === undefined ? choice : { ...choice, policy: { ...choice.policy, parallel } }
}

type ToolChoice = Exclude<NonNullable<ResponsesRequest['tool_choice']>, string>

function readChoice(body: Fields<ResponsesRequest>): Choice {
  if (!body.has('tool_choice')) return { policy: { mode: 'auto' } }
  if (body.kind('tool_choice') === 'text') {
    return { policy: { mode: body.word('tool_choice', ['auto', 'none', 'required']) ?? 'auto' } }
  }
  const choice = body.needObject('tool_choice')
  switch (choice.json('type')) {
    case 'function':
    case 'custom':
      return { policy: { mode: 'required', only: [choice.needText('name')] } }
    case 'allowed_tools':
      return readAllowed(choice)
    default:
      return { policy: { mode: 'auto' }, raw: choice.whole() }
  }
}

/** Other dialects can only refer to tools by name. */
function readAllowed(choice: Fields<ToolChoice>): Choice {
  const mode = choice.word('mode', ['auto', 'required']) ?? 'auto'
  const allowed = choice.objects('tools').map((tool) => tool.whole().name)
  const only = allowed.filter((name) => typeof name === 'string')
  return only.length === allowed.length ? { policy: { mode, only } } : { policy: { mode }, raw: choice.whole() }
}
