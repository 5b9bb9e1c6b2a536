/** Tools and the choice among them, in Gemini's form. */
import type { Memo } from '#canonical/codec'
import type { ConversationRequest, Tool, ToolPolicy } from '#canonical/conversation'
import { hostedTool, type LossList, leavesOutSearch } from '#canonical/loss'
import { cannotCarry } from '#canonical/refusal'
import { type FieldWriters, leavesOut, notNeeded, type WrittenKind, writeFields, writtenElsewhere } from '#protocols/codec/field-writers'
import { type NameRules, type ToolNames, toolNames } from '#protocols/codec/tool-names'
import { wrappedParameters } from '#protocols/codec/wrapped-tool'
import type { Body } from '../proto-json.ts'
import { inlined, olderSchema } from '../schema.ts'
import { ownField, ownFields, type RequestContext } from './request-write-context.ts'

type FunctionTool = Extract<Tool, { kind: 'function' }>
type CustomTool = Extract<Tool, { kind: 'custom' }>
type SearchTool = Extract<Tool, { kind: 'web-search' }>
type NativeTool = WrittenKind<Tool, 'native', { dialect: 'written'; name: 'written'; raw: 'written' }>

/** A name begins with a letter or `_`. */
const nameRules: NameRules = { foreign: /[^\w.:-]|^(?=[\d.:-])/g, longest: 64 }

interface ToolWriting extends RequestContext {
  names: ToolNames
}

/** The tools of a request, written, and how their names differ upstream. */
export interface WrittenTools {
  /** `tools` and `toolConfig`, as far as they are needed. */
  fields: Body
  names: ToolNames
  wrapped: Memo['wrappedTools']
}

/** Throws GatewayError `unsupported_value` for tools that this upstream does not support. */
export function writeTools(plain: RequestContext): WrittenTools {
  const writing: ToolWriting = { ...plain, names: toolNames(plain.request, nameRules) }
  const { target, losses, names } = writing
  const wrapped: string[] = []
  const declarations: Body[] = []
  const hosted: Body[] = []
  const tools = offered(writing)
  const searches = target.capabilities.searchBesideToolsRefused !== true || !tools.some(isOwn)
  for (const tool of tools) {
    if (tool.kind === 'function') declarations.push(writeFields(tool, functionWriters, writing))
    else if (tool.kind === 'custom') {
      wrapped.push(tool.name)
      declarations.push(writeFields(tool, customWriters, writing))
    } else if (tool.dialect === 'gemini') hosted.push(tool.raw as Body)
    else if (tool.kind !== 'web-search') lostTool(tool, losses)
    else if (leavesOutSearch(tool, losses)) continue
    else if (searches) hosted.push({ googleSearch: writeFields(tool, searchWriters, writing) })
    else losses.dropped('tools.web-search', 'This model takes either its own tools or those of the caller.')
  }
  const written = declarations.length > 0 ? [{ functionDeclarations: declarations }, ...hosted] : hosted
  const toolConfig = writeConfig(writing, declarations.length > 0, hosted.length > 0)
  const fields = { ...(written.length > 0 && { tools: written }), ...(Object.keys(toolConfig).length > 0 && { toolConfig }) }
  return { fields, names, wrapped }
}

const lostTool = ({ name }: NativeTool, losses: LossList) =>
  losses.dropped(hostedTool(name), 'The upstream does not have this hosted tool.')

/** A free choice among some of the tools is a choice among all that are offered, so only those are. */
function offered({ request, losses }: RequestContext): Tool[] {
  const { mode, only } = request.toolPolicy
  if (!only || mode !== 'auto') return request.tools
  losses.adapted('toolPolicy.only', 'Only the tools that may be called are offered.')
  return request.tools.filter((tool) => (isOwn(tool) ? only.includes(tool.name) : true))
}

/** True for a tool that the caller runs itself. */
const isOwn = (tool: Tool): tool is FunctionTool | CustomTool => tool.kind === 'function' || tool.kind === 'custom'

const functionWriters: FieldWriters<FunctionTool, ToolWriting> = {
  // The upstream refuses a declaration without a description.
  name: (name, { names }, { namespace }) => ({ name: names.out(name, namespace), description: name }),
  namespace: writtenElsewhere,
  description: (description) => ({ description }),
  parameters: writeParameters,
  // recordForeign records the loss of another dialect's fields.
  extra: (extra, { request }) => (request.dialect === 'gemini' ? extra : undefined),
  cache: leavesOut('tools.cache', 'The upstream takes no cache breakpoints.'),
  // A mode of all functions together: writeMode.
  strict: writtenElsewhere,
  kind: notNeeded,
}

function writeParameters(parameters: FunctionTool['parameters'], { request, target, losses }: RequestContext): Body {
  const schema = inlined(parameters)
  if (!schema) throw cannotCarry(request, 'tools', 'The upstream takes no schema that refers to itself.')
  if (target.capabilities.olderSchema !== true) return { parametersJsonSchema: schema }
  // The older kind of schema has no object without fields.
  if (!schema.properties || Object.keys(schema.properties).length === 0) return {}
  return { parameters: olderSchema(schema, () => losses.adapted('tools.parameters', 'The model takes only part of JSON Schema.')) }
}

const customWriters: FieldWriters<CustomTool, ToolWriting> = {
  // The upstream refuses a declaration without a description.
  name: (name, { names }, { namespace }) => ({ name: names.out(name, namespace), description: name }),
  namespace: writtenElsewhere,
  description: (description) => ({ description }),
  kind(_, { target, losses }) {
    losses.adapted('tools.custom', 'A tool that takes free text became a function with one text parameter.')
    if (target.capabilities.olderSchema !== true) return { parametersJsonSchema: wrappedParameters }
    return { parameters: olderSchema(wrappedParameters, () => undefined) }
  },
  grammar(_, { losses }) {
    losses.dropped('tools.custom.grammar', 'The upstream cannot enforce a grammar for a tool’s text.')
  },
  // Tools of this kind never come from this dialect; recordForeign records the loss.
  extra: notNeeded,
}

const searchWriters: FieldWriters<SearchTool, RequestContext> = {
  kind: notNeeded,
  allowedDomains(domains, { losses }) {
    if (domains.length > 0) losses.dropped('tools.web-search.allowedDomains', 'The upstream can only leave domains out.')
  },
  contextSize: leavesOut('tools.web-search.contextSize', 'The upstream has no such hint.'),
  location: leavesOut('tools.web-search.location', 'The upstream has no such hint.'),
  maxUses(_, { losses }) {
    losses.dropped('tools.web-search.maxUses', 'The upstream has no limit on searches.')
  },
  // Left out if it must not fetch anything: writeTools.
  live: writtenElsewhere,
  blockedDomains: (domains) => (domains.length > 0 ? { excludeDomains: domains } : undefined),
  // Written back unchanged if it came from this dialect: writeTools.
  raw: writtenElsewhere,
  dialect: writtenElsewhere,
  // `recordForeign` records them.
  unread: notNeeded,
}

function writeConfig(writing: ToolWriting, hasFunctions: boolean, hasHosted: boolean): Body {
  const { request } = writing
  const config: Body = {
    // Hosted tools and the caller's are only combined when that is requested.
    ...(hasFunctions && hasHosted && request.dialect !== 'gemini' && { includeServerSideToolInvocations: true }),
    ...ownFields(writing, 'toolConfig.'),
  }
  const calling = hasFunctions ? writeCalling(writing) : {}
  const { functionCallingConfig: _, ...others } = config
  return { ...others, ...(Object.keys(calling).length > 0 && { functionCallingConfig: calling }) }
}

function writeCalling(writing: ToolWriting): Body {
  const own = ownField(writing, 'toolConfig.functionCallingConfig')
  return { ...writeFields(writing.request.toolPolicy, policyWriters, writing), ...(typeof own === 'object' && own) }
}

/** The fields of `functionCallingConfig`. */
const policyWriters: FieldWriters<ToolPolicy, ToolWriting> = {
  parallel(parallel, { losses }) {
    if (!parallel) losses.altered('toolPolicy.parallel', 'The upstream may make several calls at once.')
  },
  mode: writeMode,
  // With `auto` only these tools are offered: see `offered`.
  only: (only, { request, names }, { mode }) => (mode === 'required' ? writeOnly(only, request, names) : undefined),
}

function writeMode(mode: ToolPolicy['mode'], { request, target, losses }: ToolWriting, { only }: ToolPolicy): Body {
  if (mode === 'none') return { mode: 'NONE' }
  if (mode === 'required' && target.capabilities.forcedToolRefused !== true) return { mode: 'ANY' }
  if (mode === 'required') {
    losses.dropped('toolPolicy.mode', 'This model cannot be made to call a tool.')
    return only ? { mode: 'VALIDATED' } : {}
  }
  const functions = request.tools.filter((tool) => tool.kind === 'function')
  if (!functions.some((tool) => tool.strict === true)) return {}
  if (!functions.every((tool) => tool.strict === true))
    losses.adapted('tools.strict', 'Schemas are enforced for all functions or for none.')
  return { mode: 'VALIDATED' }
}

/** An empty list would let the model call any of them, so it is refused. */
function writeOnly(only: readonly string[], request: ConversationRequest, names: ToolNames): Body {
  const found = request.tools.filter(isOwn).filter(({ name }) => only.includes(name))
  if (found.length === 0) throw cannotCarry(request, 'toolPolicy.only', 'The tool that must be called is not among the tools.')
  return { allowedFunctionNames: found.map(({ name, namespace }) => names.out(name, namespace)) }
}
