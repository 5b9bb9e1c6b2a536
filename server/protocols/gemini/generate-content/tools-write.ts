/** Tools and their policy as Gemini writes them. */
import type { Memo } from '#canonical/codec'
import type { ConversationRequest, Tool } from '#canonical/conversation'
import { hostedTool } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import { type NameRules, type ToolNames, toolNames } from '#canonical/tool-names'
import { wrappedParameters } from '#canonical/wrapped-tool'
import type { Body } from '../proto-json.ts'
import { inlined, olderSchema } from '../schema.ts'
import { ownField, ownFields, type Writing } from './writing.ts'

/** A name begins with a letter or `_`. */
const nameRules: NameRules = { foreign: /[^\w.:-]|^(?=[\d.:-])/g, longest: 64 }

export interface WrittenTools {
  fields: Body
  names: ToolNames
  wrapped: Memo['wrappedTools']
}

/** The fields `tools` and `toolConfig`, as far as they are needed. */
export function writeTools(writing: Writing): WrittenTools {
  const { request, target, losses } = writing
  const names = toolNames(request, nameRules)
  const wrapped: string[] = []
  const declarations: Body[] = []
  const hosted: Body[] = []
  const tools = offered(writing)
  const searches = target.capabilities.searchBesideToolsRefused !== true || !tools.some(isOwn)
  for (const tool of tools) {
    if (tool.kind === 'function') declarations.push(writeFunction(tool, names.out(tool.name, tool.namespace), writing))
    else if (tool.kind === 'custom') {
      wrapped.push(tool.name)
      declarations.push(writeCustom(tool, names.out(tool.name, tool.namespace), writing))
    } else if (tool.dialect === 'gemini') hosted.push(tool.raw as Body)
    else if (tool.kind !== 'web-search') losses.dropped(hostedTool(tool.name), 'The upstream does not have this hosted tool.')
    else if (searches) hosted.push(writeSearch(tool, writing))
    else losses.dropped('tools.web-search', 'This model takes either its own tools or those of the caller.')
  }
  const written = declarations.length > 0 ? [{ functionDeclarations: declarations }, ...hosted] : hosted
  const toolConfig = writeConfig(writing, names, declarations.length > 0, hosted.length > 0)
  return {
    fields: { ...(written.length > 0 && { tools: written }), ...(Object.keys(toolConfig).length > 0 && { toolConfig }) },
    names,
    wrapped,
  }
}

/** A free choice among some of the tools is a choice among all that are offered, so only those are. */
function offered({ request, losses }: Writing): Tool[] {
  const { mode, only } = request.toolPolicy
  if (!only || mode !== 'auto') return request.tools
  losses.adapted('toolPolicy.only', 'Only the tools that may be called are offered.')
  return request.tools.filter((tool) => (isOwn(tool) ? only.includes(tool.name) : true))
}

/** The caller's own. */
const isOwn = (tool: Tool) => tool.kind === 'function' || tool.kind === 'custom'

function writeFunction(tool: Extract<Tool, { kind: 'function' }>, name: string, writing: Writing): Body {
  const { request, losses } = writing
  if (tool.cache) losses.forgotten('tools.cache', 'The upstream takes no cache breakpoints.')
  return {
    name,
    // The upstream refuses a declaration without one.
    description: tool.description ?? tool.name,
    ...writeParameters(tool, writing),
    ...(request.dialect === 'gemini' && tool.extra),
  }
}

function writeParameters({ parameters }: Extract<Tool, { kind: 'function' }>, { request, target, losses }: Writing): Body {
  const schema = inlined(parameters)
  if (!schema) throw cannotCarry(request, 'tools', 'The upstream takes no schema that refers to itself.')
  if (target.capabilities.olderSchema !== true) return { parametersJsonSchema: schema }
  // The older kind allows no object without fields.
  if (!schema.properties || Object.keys(schema.properties).length === 0) return {}
  return { parameters: olderSchema(schema, () => losses.adapted('tools.parameters', 'The model takes only part of JSON Schema.')) }
}

function writeCustom(tool: Extract<Tool, { kind: 'custom' }>, name: string, { target, losses }: Writing): Body {
  losses.adapted('tools.custom', 'A tool that takes free text became a function with one text.')
  if (tool.grammar) losses.dropped('tools.custom.grammar', 'The upstream cannot hold a tool’s text to a grammar.')
  const description = tool.description ?? tool.name
  if (target.capabilities.olderSchema !== true) return { name, description, parametersJsonSchema: wrappedParameters }
  return { name, description, parameters: olderSchema(wrappedParameters, () => undefined) }
}

function writeSearch(tool: Extract<Tool, { kind: 'web-search' }>, { losses }: Writing): Body {
  if (tool.allowedDomains?.length) losses.dropped('tools.web-search.allowedDomains', 'The upstream can only leave domains out.')
  if (tool.contextSize !== undefined) losses.forgotten('tools.web-search.contextSize', 'The upstream has no such hint.')
  if (tool.location) losses.forgotten('tools.web-search.location', 'The upstream has no such hint.')
  return { googleSearch: tool.blockedDomains?.length ? { excludeDomains: tool.blockedDomains } : {} }
}

function writeConfig(writing: Writing, names: ToolNames, hasFunctions: boolean, hasHosted: boolean): Body {
  const { request } = writing
  const config = {
    // Its own tools and the caller's run beside each other only when that is said.
    ...(hasFunctions && hasHosted && request.dialect !== 'gemini' && { includeServerSideToolInvocations: true }),
    ...ownFields(writing, 'toolConfig.'),
  }
  const calling = hasFunctions ? writeCalling(writing, names) : {}
  const { functionCallingConfig: _, ...others } = config as Body
  return { ...others, ...(Object.keys(calling).length > 0 && { functionCallingConfig: calling }) }
}

function writeCalling(writing: Writing, names: ToolNames): Body {
  const { request, losses } = writing
  const { parallel } = request.toolPolicy
  if (parallel === false) losses.altered('toolPolicy.parallel', 'The upstream may make several calls at once.')
  const own = ownField(writing, 'toolConfig.functionCallingConfig')
  return { ...writeMode(writing, names), ...(typeof own === 'object' && own) }
}

function writeMode({ request, target, losses }: Writing, names: ToolNames): Body {
  const { mode, only } = request.toolPolicy
  if (mode === 'none') return { mode: 'NONE' }
  if (mode === 'required' && target.capabilities.forcedToolRefused !== true) return { mode: 'ANY', ...writeOnly(request, names) }
  if (mode === 'required') {
    losses.dropped('toolPolicy.mode', 'This model cannot be made to call a tool.')
    return only ? { mode: 'VALIDATED', ...writeOnly(request, names) } : {}
  }
  const functions = request.tools.filter((tool) => tool.kind === 'function')
  if (!functions.some((tool) => tool.strict === true)) return {}
  if (!functions.every((tool) => tool.strict === true)) losses.adapted('tools.strict', 'All functions are held to their schemas, or none.')
  return { mode: 'VALIDATED' }
}

/** An empty list would let the model call any of them. */
function writeOnly(request: ConversationRequest, names: ToolNames): Body {
  const { only } = request.toolPolicy
  if (!only) return {}
  const { tools } = request
  const found = tools.filter((tool) => tool.kind === 'function' || tool.kind === 'custom').filter(({ name }) => only.includes(name))
  if (found.length === 0) throw cannotCarry(request, 'toolPolicy.only', 'The tool that must be called is not among the tools.')
  return { allowedFunctionNames: found.map(({ name, namespace }) => names.out(name, namespace)) }
}
