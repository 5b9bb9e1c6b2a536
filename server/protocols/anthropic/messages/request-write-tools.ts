/** Tools and tool choice for a Messages upstream. */
import type { Tool, ToolPolicy } from '#canonical/conversation'
import { hostedTool, leavesOutSearch } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, leavesOut, notNeeded, type WrittenKind, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import { wrappedParameters } from '#protocols/codec/wrapped-tool'
import { isObject } from '#shared/json'
import type { Json } from '../frame.ts'
import { schemaSubset } from '../schema-subset.ts'
import type { RequestContext } from './request-write-context.ts'

type FunctionTool = Extract<Tool, { kind: 'function' }>
type CustomTool = Extract<Tool, { kind: 'custom' }>
type SearchTool = Extract<Tool, { kind: 'web-search' }>
type NativeTool = WrittenKind<Tool, 'native', { dialect: 'written'; name: 'written'; raw: 'written' }>

/** The tools that the upstream may see. Throws GatewayError `unsupported_value`. */
export function writeTools(writing: RequestContext): Json[] {
  const { tools, toolPolicy } = writing.request
  const { only, mode } = toolPolicy
  const isForced = mode === 'required' && only?.length === 1
  const isHidden = (tool: Tool) =>
    only !== undefined && !isForced && (tool.kind === 'function' || tool.kind === 'custom') && !only.includes(tool.name)
  const shown = tools.filter((tool) => !isHidden(tool))
  if (shown.length < tools.length) writing.losses.adapted('toolPolicy.only', 'Tools that may not be called are left out.')
  return shown.flatMap((tool) => writeTool(tool, writing))
}

function writeTool(tool: Tool, writing: RequestContext): Json[] {
  switch (tool.kind) {
    case 'function':
      return [writeFields(tool, functionWriters, writing)]
    case 'custom':
      return [writeFields(tool, customWriters, writing)]
    case 'web-search':
      return writeSearch(tool, writing)
    case 'native':
      return nativeTool(tool, writing)
  }
}

function writeSearch(tool: SearchTool, writing: RequestContext): Json[] {
  if (tool.dialect === 'messages' && isObject(tool.raw)) return [tool.raw]
  return leavesOutSearch(tool, writing.losses) ? [] : [writeFields(tool, searchWriters, writing)]
}

function nativeTool({ dialect, raw, name }: NativeTool, { losses }: RequestContext): Json[] {
  if (dialect === 'messages' && isObject(raw)) return [raw]
  losses.dropped(hostedTool(name), 'Only another vendor has this tool.')
  return []
}

const functionWriters: FieldWriters<FunctionTool, RequestContext> = {
  // A tool of the caller's own needs no type.
  kind: notNeeded,
  name: (name, { names }, { namespace }) => ({ name: names.out(name, namespace) }),
  namespace: writtenElsewhere,
  description: (description) => (description === '' ? undefined : { description }),
  parameters(parameters, { request, losses }, { strict }) {
    const root = rootObject(parameters)
    if (!root) throw cannotCarry(request, 'tools', 'The parameters of a tool must be one object schema for this upstream.')
    if (strict !== true || request.dialect === 'messages') return { input_schema: root }
    const { schema, lossy } = schemaSubset(root)
    if (lossy) losses.adapted('tools.strict', 'Some constraints of a strict tool are only described.')
    return { input_schema: schema }
  },
  strict: (strict) => (strict ? { strict } : undefined),
  // recordForeign records the loss of another dialect's fields.
  extra: (extra, { request }) => (request.dialect === 'messages' ? extra : undefined),
  cache: (mark, { marked }) => marked(mark),
}

/** The vendor takes one object at the root, and no choice of several. */
function rootObject(schema: Json): Json | undefined {
  if (['anyOf', 'oneOf', 'allOf'].some((key) => schema[key] !== undefined)) return undefined
  if (schema.type === undefined && schema.$ref === undefined) return { ...schema, type: 'object' }
  return schema.type === 'object' ? schema : undefined
}

/** A tool that takes free text becomes a function with one text. */
const customWriters: FieldWriters<CustomTool, RequestContext> = {
  name: (name, { names }, { namespace }) => ({ name: names.out(name, namespace) }),
  namespace: writtenElsewhere,
  kind(_, { losses }, { description, grammar }) {
    losses.adapted('tools.custom', 'A tool that takes free text became a function with one text parameter.')
    const rule = grammar && `The input must follow this ${grammar.syntax} grammar:\n${grammar.definition}`
    const words = [description, rule].filter((text) => text !== undefined && text !== '').join('\n\n')
    return { ...(words !== '' && { description: words }), input_schema: wrappedParameters }
  },
  description: writtenElsewhere,
  grammar(_, { losses }) {
    losses.dropped('tools.custom.grammar', 'The grammar of a tool is only described, not enforced.')
  },
  // Tools of this kind never come from this dialect; recordForeign records the loss.
  extra: notNeeded,
}

/** The version that every model with web search accepts; later ones also require code execution. */
const searchType = 'web_search_20250305'

const searchWriters: FieldWriters<SearchTool, RequestContext> = {
  kind: () => ({ type: searchType, name: 'web_search' }),
  contextSize: leavesOut('tools.web-search.contextSize', 'This upstream decides by itself how much it reads.'),
  allowedDomains: (domains) => ({ allowed_domains: domains }),
  blockedDomains(domains, { losses }, { allowedDomains }) {
    if (allowedDomains === undefined) return { blocked_domains: domains }
    losses.altered('tools.web-search.blockedDomains', 'Only one list of domains is possible; the allowed ones stay.')
    return undefined
  },
  location(location) {
    // Chat nests the place once more.
    const place = isObject(location.approximate) ? location.approximate : location
    return { user_location: { ...place, type: 'approximate' } }
  },
  maxUses: (max_uses) => ({ max_uses }),
  // Left out if it must not fetch anything: writeSearch.
  live: writtenElsewhere,
  // Written back unchanged if it came from this dialect: writeSearch.
  raw: writtenElsewhere,
  dialect: writtenElsewhere,
  // `recordForeign` records them.
  unread: notNeeded,
}

/** `tool_choice`, or an instruction to the model if a choice cannot be enforced. */
export interface WrittenChoice {
  choice?: Json
  instruction?: string
}

/** True when the upstream makes the model call a tool; such a model cannot think first. */
export function isForcing({ request, target }: RequestContext, tools: readonly Json[]): boolean {
  const { forcedToolRefused, thinkingAlwaysOn } = target.capabilities
  return request.toolPolicy.mode === 'required' && tools.length > 0 && forcedToolRefused !== true && thinkingAlwaysOn !== true
}

interface Choosing {
  isForced: boolean
  /** The upstream's name of the one tool that must be called. */
  name: string | undefined
}

const policyWriters: FieldWriters<ToolPolicy, Choosing> = {
  mode: (mode, { isForced }) => ({ type: mode === 'none' ? 'none' : isForced ? 'any' : 'auto' }),
  // Where several may be called, only those are offered: writeTools.
  only: (_, { isForced, name }) => (isForced && name !== undefined ? { type: 'tool', name } : undefined),
  parallel: (parallel, _, { mode }) => (parallel || mode === 'none' ? undefined : { disable_parallel_tool_use: true }),
}

/** Throws GatewayError `unsupported_value` when a tool must be called that is not offered. */
export function writeChoice(writing: RequestContext, tools: readonly Json[]): WrittenChoice {
  const { request, losses } = writing
  const { toolPolicy } = request
  if (tools.length === 0) return {}
  const name = forcedName(writing)
  if (name !== undefined && !tools.some((one) => one.name === name)) {
    throw cannotCarry(request, 'toolPolicy.only', 'The tool that must be called is not among the tools.')
  }
  const isForced = isForcing(writing, tools)
  const written = writeFields(toolPolicy, policyWriters, { isForced, name })
  const isUsual = written.type === 'auto' && written.disable_parallel_tool_use === undefined
  const choice = isUsual ? {} : { choice: written }
  if (toolPolicy.mode !== 'required' || isForced) return choice
  losses.dropped('toolPolicy.mode', 'This model cannot be forced to call a tool; it is asked to.')
  const which = name === undefined ? 'at least one of your tools' : `the tool ${name}`
  return { ...choice, instruction: `Answer by calling ${which}.` }
}

/** The upstream's name of the one tool that the caller demands; undefined when there is a choice. */
function forcedName({ request: { tools, toolPolicy }, names }: RequestContext): string | undefined {
  const [name, ...others] = toolPolicy.only ?? []
  if (toolPolicy.mode !== 'required' || name === undefined || others.length > 0) return undefined
  const tool = tools.filter((one) => one.kind === 'function' || one.kind === 'custom').find((one) => one.name === name)
  return tool ? names.out(tool.name, tool.namespace) : name
}
