/** The tools of a Chat request and how they may be used, in all three generations of the API. */
import type { JsonSchema, Tool, ToolPolicy } from '#canonical/conversation'
import { isObject } from '#wire/json-scan'
import { type Body, isAbsent, missing, readFlag, readText, readWord, wrong } from '../fields.ts'
import { readCache } from './part-read.ts'

/** Throws GatewayError 400 with the path of what cannot be understood. Hosted tools of a kind that is not known ride along. */
export function readTools(body: Body): Tool[] {
  const tools = list(body, 'tools').map((tool, index) => readTool(tool, `tools[${index}]`))
  const functions = list(body, 'functions').map((tool, index) => readFunction(tool, `functions[${index}]`))
  return [...tools, ...functions, ...readSearch(body.web_search_options)]
}

function list(body: Body, field: string): unknown[] {
  const value = body[field]
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) throw wrong(field, 'a list')
  return value
}

function readTool(tool: unknown, path: string): Tool {
  if (!isObject(tool)) throw wrong(path, 'an object')
  if (tool.type === 'custom' && isObject(tool.custom)) return readCustom(tool.custom, `${path}.custom`)
  if (tool.type === 'function' || isObject(tool.function)) {
    const cache = readCache(tool)
    return { ...readFunction(tool.function, `${path}.function`), ...(cache && { cache }) }
  }
  if (typeof tool.type !== 'string' || tool.type === '') throw wrong(`${path}.type`, 'the kind of the tool')
  return { kind: 'native', dialect: 'chat', name: tool.type, raw: tool }
}

function readFunction(fields: unknown, path: string): Extract<Tool, { kind: 'function' }> {
  if (!isObject(fields)) throw missing(path)
  const description = readText(fields, 'description', `${path}.description`)
  const strict = readFlag(fields, 'strict', `${path}.strict`)
  return {
    kind: 'function',
    name: neededName(fields, path),
    ...(description !== undefined && { description }),
    parameters: readSchema(fields.parameters, `${path}.parameters`) ?? { type: 'object', properties: {} },
    ...(strict !== undefined && { strict }),
  }
}

function neededName(fields: Body, path: string): string {
  const name = readText(fields, 'name', `${path}.name`)
  if (!name) throw missing(`${path}.name`)
  return name
}

export function readSchema(schema: unknown, path: string): JsonSchema | undefined {
  if (isAbsent(schema)) return undefined
  if (!isObject(schema)) throw wrong(path, 'a JSON Schema')
  return schema
}

function readCustom(fields: Body, path: string): Tool {
  const description = readText(fields, 'description', `${path}.description`)
  const format = isObject(fields.format) ? fields.format : {}
  const grammar = format.type === 'grammar' && isObject(format.grammar) ? format.grammar : undefined
  const text = (field: string) => (grammar && readText(grammar, field, `${path}.format.grammar.${field}`)) ?? ''
  return {
    kind: 'custom',
    name: neededName(fields, path),
    ...(description !== undefined && { description }),
    ...(grammar && { grammar: { syntax: text('syntax'), definition: text('definition') } }),
  }
}

/** The option that turns on a hosted web search. */
function readSearch(options: unknown): Tool[] {
  if (!isObject(options)) return []
  const contextSize = readWord(options, 'search_context_size', ['low', 'medium', 'high'], 'web_search_options.search_context_size')
  const where = isObject(options.user_location) ? options.user_location : {}
  const location = isObject(where.approximate) ? where.approximate : undefined
  return [
    { kind: 'web-search', ...(contextSize !== undefined && { contextSize }), ...(location && { location }), raw: options, dialect: 'chat' },
  ]
}

export function readToolPolicy(body: Body): ToolPolicy {
  // Who writes `functions` reads one call.
  const parallel = readFlag(body, 'parallel_tool_calls') ?? (isAbsent(body.functions) ? undefined : false)
  const policy = isAbsent(body.tool_choice) ? readFunctionChoice(body.function_call) : readChoice(body.tool_choice)
  return { ...policy, ...(parallel !== undefined && { parallel }) }
}

const modes = ['auto', 'none', 'required'] as const

function readChoice(choice: unknown): ToolPolicy {
  if (typeof choice === 'string') return { mode: readWord({ choice }, 'choice', modes, 'tool_choice') ?? 'auto' }
  if (!isObject(choice)) throw wrong('tool_choice', 'a word or an object')
  if (isObject(choice.allowed_tools)) {
    const path = 'tool_choice.allowed_tools'
    const mode = readWord(choice.allowed_tools, 'mode', ['auto', 'required'], `${path}.mode`) ?? 'auto'
    const allowed = Array.isArray(choice.allowed_tools.tools) ? choice.allowed_tools.tools : []
    return { mode, only: allowed.map((tool, index) => namedTool(tool, `${path}.tools[${index}]`)) }
  }
  return { mode: 'required', only: [namedTool(choice, 'tool_choice')] }
}

function namedTool(choice: unknown, path: string): string {
  if (!isObject(choice)) throw wrong(path, 'an object')
  const kind = choice.type === 'custom' ? 'custom' : 'function'
  return neededName(isObject(choice[kind]) ? choice[kind] : {}, `${path}.${kind}`)
}

function readFunctionChoice(choice: unknown): ToolPolicy {
  if (isAbsent(choice)) return { mode: 'auto' }
  if (typeof choice === 'string') return { mode: readWord({ choice }, 'choice', ['auto', 'none'], 'function_call') ?? 'auto' }
  return { mode: 'required', only: [neededName(isObject(choice) ? choice : {}, 'function_call')] }
}
