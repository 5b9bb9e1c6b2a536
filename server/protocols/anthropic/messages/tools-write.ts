/** Tools and the choice among them, for an upstream that speaks Messages. */
import type { Tool } from '#canonical/conversation'
import { hostedTool } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import { wrappedParameters } from '#canonical/wrapped-tool'
import { isObject } from '#wire/json-scan'
import type { Json } from './frame.ts'
import { schemaSubset } from './schema-subset.ts'
import type { Writing } from './writing.ts'

type FunctionTool = Extract<Tool, { kind: 'function' }>
type CustomTool = Extract<Tool, { kind: 'custom' }>
type SearchTool = Extract<Tool, { kind: 'web-search' }>

/** The tools that the upstream may see. Throws GatewayError `unsupported_value`. */
export function writeTools(writing: Writing): Json[] {
  const { tools, toolPolicy } = writing.request
  const { only, mode } = toolPolicy
  const isForced = mode === 'required' && only?.length === 1
  const isHidden = (tool: Tool) =>
    only !== undefined && !isForced && (tool.kind === 'function' || tool.kind === 'custom') && !only.includes(tool.name)
  const shown = tools.filter((tool) => !isHidden(tool))
  if (shown.length < tools.length) writing.losses.adapted('toolPolicy.only', 'Tools that may not be called are left out.')
  return shown.flatMap((tool) => writeTool(tool, writing))
}

function writeTool(tool: Tool, writing: Writing): Json[] {
  switch (tool.kind) {
    case 'function':
      return [functionTool(tool, writing)]
    case 'custom':
      return [customTool(tool, writing)]
    case 'web-search':
      return [tool.dialect === 'messages' && isObject(tool.raw) ? tool.raw : searchTool(tool, writing)]
    case 'native':
      if (tool.dialect === 'messages' && isObject(tool.raw)) return [tool.raw]
      writing.losses.dropped(hostedTool(tool.name), 'Only another vendor has this tool.')
      return []
  }
}

function functionTool(tool: FunctionTool, { request, losses, names, marked }: Writing): Json {
  const isOwn = request.dialect === 'messages'
  const root = rootObject(tool.parameters)
  if (!root) throw cannotCarry(request, 'tools', 'The parameters of a tool must be one object schema for this upstream.')
  const strict = tool.strict === true && !isOwn ? schemaSubset(root) : undefined
  if (strict?.lossy) losses.adapted('tools.strict', 'Some constraints of a strict tool are told in words only.')
  return {
    name: names.out(tool.name, tool.namespace),
    ...(tool.description !== undefined && tool.description !== '' && { description: tool.description }),
    input_schema: strict?.schema ?? root,
    ...(tool.strict === true && { strict: true }),
    ...(isOwn && tool.extra),
    ...marked(tool.cache),
  }
}

/** The vendor takes an object at the root and no choice of several. */
function rootObject(schema: Json): Json | undefined {
  if (['anyOf', 'oneOf', 'allOf'].some((key) => schema[key] !== undefined)) return undefined
  if (schema.type === undefined && schema.$ref === undefined) return { ...schema, type: 'object' }
  return schema.type === 'object' ? schema : undefined
}

function customTool(tool: CustomTool, { losses, names }: Writing): Json {
  losses.adapted('tools.custom', 'A tool that takes free text is offered as a function with one text.')
  const { grammar } = tool
  if (grammar) losses.dropped('tools.custom.grammar', 'The grammar of a tool is told in words and not enforced.')
  const rule = grammar && `The input must follow this ${grammar.syntax} grammar:\n${grammar.definition}`
  const description = [tool.description, rule].filter((text) => text !== undefined && text !== '').join('\n\n')
  return {
    name: names.out(tool.name, tool.namespace),
    ...(description !== '' && { description }),
    input_schema: wrappedParameters,
  }
}

/** The version that every model with web search takes; later ones ask for code execution beside it. */
const search = 'web_search_20250305'

function searchTool({ allowedDomains, blockedDomains, contextSize, location }: SearchTool, { losses }: Writing): Json {
  if (contextSize !== undefined) losses.forgotten('tools.web-search.contextSize', 'This upstream decides by itself how much it reads.')
  const both = allowedDomains !== undefined && blockedDomains !== undefined
  if (both) losses.altered('tools.web-search.blockedDomains', 'Only one list of domains is possible; the allowed ones stay.')
  // Chat nests the place once more.
  const place = isObject(location?.approximate) ? location.approximate : location
  return {
    type: search,
    name: 'web_search',
    ...(allowedDomains && { allowed_domains: allowedDomains }),
    ...(blockedDomains && !both && { blocked_domains: blockedDomains }),
    ...(place && { user_location: { ...place, type: 'approximate' } }),
  }
}

/** `tool_choice`, or what to tell the model where a choice cannot be forced. */
export interface Choice {
  choice?: Json
  instruction?: string
}

/** Must the model call a tool, in a way that the upstream enforces? Such a model cannot think first. */
export function isForcing({ request, target }: Writing, tools: readonly Json[]): boolean {
  const { forcedToolRefused, thinkingAlwaysOn } = target.capabilities
  return request.toolPolicy.mode === 'required' && tools.length > 0 && forcedToolRefused !== true && thinkingAlwaysOn !== true
}

/** Throws GatewayError `unsupported_value` when a tool is to be called that is not offered. */
export function writeChoice(writing: Writing, tools: readonly Json[]): Choice {
  const { request, losses, names } = writing
  const { mode, only, parallel } = request.toolPolicy
  if (tools.length === 0) return {}
  const single = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (mode === 'none') return { choice: { type: 'none' } }
  if (mode === 'auto') return parallel === false ? { choice: { type: 'auto', ...single } } : {}

  const forced = only?.length === 1 ? only[0] : undefined
  const tool = request.tools.find((one) => (one.kind === 'function' || one.kind === 'custom') && one.name === forced)
  const name = tool && 'name' in tool ? names.out(tool.name, 'namespace' in tool ? tool.namespace : undefined) : forced
  if (name !== undefined && !tools.some((one) => one.name === name)) {
    throw cannotCarry(request, 'toolPolicy.only', 'The tool that must be called is not among the tools.')
  }
  if (isForcing(writing, tools))
    return { choice: { type: name === undefined ? 'any' : 'tool', ...(name !== undefined && { name }), ...single } }
  losses.dropped('toolPolicy.mode', 'This model cannot be forced to call a tool; it is asked to.')
  const which = name === undefined ? 'at least one of your tools' : `the tool ${name}`
  return { instruction: `Answer by calling ${which}.`, ...(parallel === false && { choice: { type: 'auto', ...single } }) }
}
