/** The tools of a request, and which of them may or must be called. */
import type { Tool, ToolPolicy } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import { type Body, isAbsent, readFlag, readText, readWord, wrong } from '../fields.ts'
import { neededText, readObject, readObjects } from './checks.ts'

/** A namespace is taken apart; what is said of it stands in `namespaces`, by its name. */
export interface ToolSet {
  tools: Tool[]
  namespaces: Record<string, Body>
}

/** Throws GatewayError 400. Hosted tools are kept as they came. */
export function readTools(body: Body): ToolSet {
  const set: ToolSet = { tools: [], namespaces: {} }
  for (const [tool, path] of readObjects(body, 'tools')) {
    if (tool.type === 'namespace') readNamespace(set, tool, path)
    else set.tools.push(readTool(tool, path))
  }
  return set
}

function readNamespace(set: ToolSet, tool: Body, path: string): void {
  const namespace = neededText(tool, 'name', `${path}.name`)
  const { type: _type, name: _name, tools: _tools, ...told } = tool
  set.namespaces[namespace] = told
  for (const [inner, at] of readObjects(tool, 'tools', `${path}.tools`)) {
    const read = readTool(inner, at)
    set.tools.push(read.kind === 'function' || read.kind === 'custom' ? { ...read, namespace } : read)
  }
}

function readTool(tool: Body, path: string): Tool {
  const type = neededText(tool, 'type', `${path}.type`)
  if (type === 'function') return readFunction(tool, path)
  if (type === 'custom') return readCustom(tool, path)
  if (type.startsWith('web_search')) return readSearch(tool, path)
  return { kind: 'native', dialect: 'responses', name: type, raw: tool }
}

function readFunction(tool: Body, path: string): Tool {
  const { type: _type, name: _name, description: _description, parameters: _parameters, strict: _strict, ...extra } = tool
  const strict = readFlag(tool, 'strict', `${path}.strict`)
  return {
    kind: 'function',
    name: toolName(tool, path),
    ...described(tool, path),
    parameters: readObject(tool, 'parameters', `${path}.parameters`) ?? { type: 'object', properties: {} },
    ...(strict !== undefined && { strict }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

function readCustom(tool: Body, path: string): Tool {
  const { type: _type, name: _name, description: _description, format: _format, ...extra } = tool
  const param = `${path}.format`
  const format = readObject(tool, 'format', param)
  const grammar = format?.type === 'grammar' && {
    syntax: neededText(format, 'syntax', `${param}.syntax`),
    definition: neededText(format, 'definition', `${param}.definition`),
  }
  return {
    kind: 'custom',
    name: toolName(tool, path),
    ...described(tool, path),
    ...(grammar && { grammar }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

function toolName(tool: Body, path: string): string {
  const name = neededText(tool, 'name', `${path}.name`)
  if (name === '') throw wrong(`${path}.name`, 'a name')
  return name
}

function described(tool: Body, path: string): { description?: string } {
  const description = readText(tool, 'description', `${path}.description`)
  return description === undefined ? {} : { description }
}

function readSearch(tool: Body, path: string): Tool {
  const filters = readObject(tool, 'filters', `${path}.filters`) ?? {}
  const allowedDomains = texts(filters.allowed_domains)
  const blockedDomains = texts(filters.blocked_domains)
  const contextSize = readWord(tool, 'search_context_size', ['low', 'medium', 'high'], `${path}.search_context_size`)
  const location = readObject(tool, 'user_location', `${path}.user_location`)
  return {
    kind: 'web-search',
    ...(allowedDomains.length > 0 && { allowedDomains }),
    ...(blockedDomains.length > 0 && { blockedDomains }),
    ...(contextSize && { contextSize }),
    ...(location && { location }),
    raw: tool,
    dialect: 'responses',
  }
}

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [])

export interface Choice {
  policy: ToolPolicy
  /** A choice that only this dialect can make, as it came. */
  raw?: unknown
}

/** `tool_choice` and `parallel_tool_calls`. */
export function readToolPolicy(body: Body): Choice {
  const choice = readChoice(body)
  const parallel = readFlag(body, 'parallel_tool_calls')
  return parallel === undefined ? choice : { ...choice, policy: { ...choice.policy, parallel } }
}

function readChoice(body: Body): Choice {
  const { tool_choice: choice } = body
  if (isAbsent(choice)) return { policy: { mode: 'auto' } }
  if (typeof choice === 'string') return { policy: { mode: readWord(body, 'tool_choice', ['auto', 'none', 'required']) ?? 'auto' } }
  if (!isObject(choice)) throw wrong('tool_choice', 'a word or an object')
  switch (choice.type) {
    case 'function':
    case 'custom':
      return { policy: { mode: 'required', only: [neededText(choice, 'name', 'tool_choice.name')] } }
    case 'allowed_tools':
      return readAllowed(choice)
    default:
      return { policy: { mode: 'auto' }, raw: choice }
  }
}

/** Only tools with names can be told apart elsewhere. */
function readAllowed(choice: Body): Choice {
  const mode = readWord(choice, 'mode', ['auto', 'required'], 'tool_choice.mode') ?? 'auto'
  const allowed = readObjects(choice, 'tools', 'tool_choice.tools').map(([tool]) => tool.name)
  const only = allowed.filter((name) => typeof name === 'string')
  return only.length === allowed.length ? { policy: { mode, only } } : { policy: { mode }, raw: choice }
}
