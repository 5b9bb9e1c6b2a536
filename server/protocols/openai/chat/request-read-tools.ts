/** The tools of a Chat request and how they may be used, in all three generations of the API. */
import type { JsonSchema, Tool, ToolPolicy } from '#canonical/conversation'
import { type Fields, invalidField, missingField } from '#protocols/codec/fields'
import { exact } from '#shared/exact-numbers'
import { isObject } from '#shared/json'
import type { ChatCustomTool, ChatFunction, ChatRequest, ChatTool, ChatToolName } from '#shared/protocols/openai/chat'
import { neededName } from './request-read-messages.ts'
import { readCache } from './request-read-parts.ts'

/** Throws GatewayError 400 with the path of the invalid field. Hosted tools of unknown kinds are carried along. */
export function readTools(body: Fields<ChatRequest>): Tool[] {
  return [...body.objects('tools').map(readTool), ...body.objects('functions').map(readFunction), ...readSearch(body)]
}

function readTool(tool: Fields<ChatTool>): Tool {
  const type = tool.textIf('type')
  const custom = type === 'custom' ? tool.objectIf('custom') : undefined
  if (custom) {
    // A hint, which free text tools have no place for.
    tool.ignore('cache_control', 'prompt_cache_breakpoint')
    return readCustom(custom)
  }
  if (type === 'function' || tool.kind('function') === 'object') {
    const cache = readCache(tool)
    return { ...readFunction(tool.needObject('function')), ...(cache && { cache }) }
  }
  if (!type) throw invalidField(tool.pathOf('type'), 'the kind of the tool')
  return { kind: 'native', dialect: 'chat', name: type, raw: tool.whole() }
}

function readFunction(fields: Fields<ChatFunction>): Extract<Tool, { kind: 'function' }> {
  const description = fields.text('description')
  const strict = fields.flag('strict')
  return {
    kind: 'function',
    name: neededName(fields),
    ...(description !== undefined && { description }),
    parameters: readSchema(fields.json('parameters'), fields.pathOf('parameters')) ?? { type: 'object', properties: {} },
    ...(strict !== undefined && { strict }),
  }
}

/** A JSON Schema, unchanged. Throws GatewayError 400 unless it is an object. */
export function readSchema(schema: unknown, path: string): JsonSchema | undefined {
  if (schema === undefined || isObject(schema)) return exact(schema)
  throw invalidField(path, 'a JSON Schema')
}

function readCustom(fields: Fields<ChatCustomTool>): Tool {
  const description = fields.text('description')
  const format = fields.objectIf('format')
  const grammar = format?.json('type') === 'grammar' ? format.objectIf('grammar') : undefined
  return {
    kind: 'custom',
    name: neededName(fields),
    ...(description !== undefined && { description }),
    ...(grammar && { grammar: { syntax: grammar.text('syntax') ?? '', definition: grammar.text('definition') ?? '' } }),
  }
}

/** The option that turns on a hosted web search. */
function readSearch(body: Fields<ChatRequest>): Tool[] {
  const options = body.objectIf('web_search_options')
  if (!options) return []
  const contextSize = options.word('search_context_size', ['low', 'medium', 'high'])
  const where = options.objectIf('user_location')
  // The one type there is.
  where?.ignore('type')
  const location = where?.json('approximate')
  const unread = [...options.unread(), ...(where?.unread() ?? [])]
  // An upstream of this dialect gets the option unchanged.
  options.whole()
  where?.whole()
  return [
    {
      kind: 'web-search',
      ...(contextSize !== undefined && { contextSize }),
      ...(isObject(location) && { location }),
      raw: body.json('web_search_options'),
      dialect: 'chat',
      ...(unread.length > 0 && { unread }),
    },
  ]
}

/** `tool_choice`, or the older `function_call`. Throws GatewayError 400. */
export function readToolPolicy(body: Fields<ChatRequest>): ToolPolicy {
  // A client that sends `functions` reads one call.
  const parallel = body.flag('parallel_tool_calls') ?? (body.has('functions') ? false : undefined)
  const policy = body.has('tool_choice') ? readChoice(body) : readFunctionChoice(body)
  return { ...policy, ...(parallel !== undefined && { parallel }) }
}

function readChoice(body: Fields<ChatRequest>): ToolPolicy {
  if (body.kind('tool_choice') === 'text') return { mode: body.word('tool_choice', ['auto', 'none', 'required']) ?? 'auto' }
  const choice = body.needObject('tool_choice')
  const allowed = choice.objectIf('allowed_tools')
  if (!allowed) return { mode: 'required', only: [namedTool(choice)] }
  choice.ignore('type')
  return { mode: allowed.word('mode', ['auto', 'required']) ?? 'auto', only: allowed.objects('tools').map(namedTool) }
}

function namedTool(choice: Fields<ChatToolName>): string {
  const kind = choice.json('type') === 'custom' ? 'custom' : 'function'
  const named = choice.objectIf(kind)
  if (!named) throw missingField(`${choice.pathOf(kind)}.name`)
  return neededName(named)
}

function readFunctionChoice(body: Fields<ChatRequest>): ToolPolicy {
  if (!body.has('function_call')) return { mode: 'auto' }
  if (body.kind('function_call') === 'text') return { mode: body.word('function_call', ['auto', 'none']) ?? 'auto' }
  return { mode: 'required', only: [neededName(body.needObject('function_call'))] }
}
