/** Tools and the choice among them. Dated hosted tools keep their form, but for web search, which others have too. */
import type { Tool, ToolPolicy } from '#canonical/conversation'
import { type Fields, invalidField } from '#protocols/codec/fields'
import { isObject } from '#shared/json'
import type { CountTokensRequest, MessagesTool } from '#shared/protocols/anthropic/messages'
import { readMark } from './request-read-turns.ts'

/** `tools`; `notes` collects the paths of what only this dialect can say. Throws GatewayError 400 with the field's path. */
export const readTools = (body: Fields<CountTokensRequest>, notes: Set<string>): Tool[] =>
  body.objects('tools').map((tool) => readTool(tool, notes))

function readTool(tool: Fields<MessagesTool>, notes: Set<string>): Tool {
  const type = tool.textIf('type')
  if (type === undefined || type === 'custom') return readFunction(tool)
  if (type.startsWith('web_search')) return readSearch(tool, notes)
  return { kind: 'native', dialect: 'messages', name: tool.textIf('name') ?? type, raw: tool.whole() }
}

function readFunction(tool: Fields<MessagesTool>): Tool {
  const name = tool.textIf('name') ?? ''
  if (name === '') throw invalidField(tool.pathOf('name'), 'text that is not empty')
  const schema = tool.json('input_schema')
  if (schema !== undefined && !isObject(schema)) throw invalidField(tool.pathOf('input_schema'), 'an object')
  const description = tool.textIf('description')
  const strict = tool.json('strict')
  const cache = readMark(tool)
  const extra = tool.rest()
  return {
    kind: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: schema ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' && { strict }),
    ...(cache && { cache }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

/** Every version of web search. What no other dialect can say of it is noted by its path. */
function readSearch(tool: Fields<MessagesTool>, notes: Set<string>): Tool {
  const allowedDomains = domains(tool.json('allowed_domains'))
  const blockedDomains = domains(tool.json('blocked_domains'))
  const location = tool.json('user_location')
  if (tool.has('cache_control')) notes.add('block.cache_control')
  tool.ignore('name', 'cache_control')
  for (const path of tool.unread()) notes.add(path)
  return {
    kind: 'web-search',
    ...(allowedDomains && { allowedDomains }),
    ...(blockedDomains && { blockedDomains }),
    ...(isObject(location) && { location }),
    raw: tool.whole(),
    dialect: 'messages',
  }
}

function domains(value: unknown): string[] | undefined {
  const names = Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
  return names.length > 0 ? names : undefined
}

/** `tool_choice`. Throws GatewayError 400 with the field's path. */
export function readPolicy(body: Fields<CountTokensRequest>): ToolPolicy {
  const choice = body.object('tool_choice')
  if (!choice) return { mode: 'auto' }
  const parallel = choice.json('disable_parallel_tool_use') === true ? { parallel: false } : {}
  switch (choice.textIf('type')) {
    case 'auto':
      return { mode: 'auto', ...parallel }
    case 'any':
      return { mode: 'required', ...parallel }
    case 'none':
      return { mode: 'none' }
    case 'tool': {
      const name = choice.textIf('name') ?? ''
      if (name === '') throw invalidField(choice.pathOf('name'), 'the name of a tool')
      return { mode: 'required', only: [name], ...parallel }
    }
    default:
      throw invalidField(choice.pathOf('type'), 'one of auto, any, tool, none')
  }
}
