/** Tools and the choice among them. Dated server tools keep their form, but for web search, which others have too. */
import type { Tool, ToolPolicy } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import { wrong } from './check.ts'
import { readMark } from './media-read.ts'

type Block = Record<string, unknown>

/** Throws GatewayError 400 with the field's path. */
export function readTools(tools: unknown): Tool[] {
  if (tools === undefined || tools === null) return []
  if (!Array.isArray(tools)) throw wrong('tools', 'a list of tools')
  return tools.map((tool: unknown, index) => {
    if (!isObject(tool)) throw wrong(`tools[${index}]`, 'an object')
    return readTool(tool, `tools[${index}]`)
  })
}

function readTool(tool: Block, path: string): Tool {
  const { type } = tool
  if (typeof type !== 'string' || type === 'custom') return readFunction(tool, path)
  if (type.startsWith('web_search')) return readSearch(tool)
  return { kind: 'native', dialect: 'messages', name: typeof tool.name === 'string' ? tool.name : type, raw: tool }
}

const common = new Set(['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'])

function readFunction(tool: Block, path: string): Tool {
  const { name, description, input_schema: schema, strict } = tool
  if (typeof name !== 'string' || name === '') throw wrong(`${path}.name`, 'text that is not empty')
  if (schema !== undefined && schema !== null && !isObject(schema)) throw wrong(`${path}.input_schema`, 'an object')
  const cache = readMark(tool)
  const extra = Object.fromEntries(Object.entries(tool).filter(([key]) => !common.has(key)))
  return {
    kind: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    parameters: schema ?? { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' && { strict }),
    ...(cache && { cache }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

function readSearch(tool: Block): Tool {
  const { allowed_domains: allowed, blocked_domains: blocked, user_location: location } = tool
  const [allowedDomains, blockedDomains] = [domains(allowed), domains(blocked)]
  return {
    kind: 'web-search',
    ...(allowedDomains && { allowedDomains }),
    ...(blockedDomains && { blockedDomains }),
    ...(isObject(location) && { location }),
    raw: tool,
    dialect: 'messages',
  }
}

function domains(value: unknown): string[] | undefined {
  const names = Array.isArray(value) ? value.filter((name) => typeof name === 'string') : []
  return names.length > 0 ? names : undefined
}

/** Throws GatewayError 400 with the field's path. */
export function readPolicy(choice: unknown): ToolPolicy {
  if (choice === undefined || choice === null) return { mode: 'auto' }
  if (!isObject(choice)) throw wrong('tool_choice', 'an object')
  const parallel = choice.disable_parallel_tool_use === true ? { parallel: false } : {}
  switch (choice.type) {
    case 'auto':
      return { mode: 'auto', ...parallel }
    case 'any':
      return { mode: 'required', ...parallel }
    case 'none':
      return { mode: 'none' }
    case 'tool':
      if (typeof choice.name !== 'string' || choice.name === '') throw wrong('tool_choice.name', 'the name of a tool')
      return { mode: 'required', only: [choice.name], ...parallel }
    default:
      throw wrong('tool_choice.type', 'one of auto, any, tool, none')
  }
}
