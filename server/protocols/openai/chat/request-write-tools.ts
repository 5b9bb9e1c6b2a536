/** Tools and their policy as Chat writes them. */
import type { Memo } from '#canonical/codec'
import type { Tool, ToolPolicy } from '#canonical/conversation'
import { hostedTool, leavesOutSearch } from '#canonical/loss'
import {
  type FieldWriters,
  type KindWriters,
  leavesOut,
  notNeeded,
  type WrittenKind,
  writeFields,
  writeKind,
  writtenElsewhere,
} from '#protocols/codec/field-writers'
import { type NameRules, type ToolNames, toolNames } from '#protocols/codec/tool-names'
import { wrappedParameters } from '#protocols/codec/wrapped-tool'
import type { Body } from '../fields.ts'
import type { Writing } from './request-write-parts.ts'

const nameRules: NameRules = { foreign: /[^a-zA-Z0-9_-]/g, longest: 64 }

export interface WrittenTools {
  fields: Body
  names: ToolNames
  wrapped: Memo['wrappedTools']
}

type ToolOf<Kind extends Tool['kind']> = Extract<Tool, { kind: Kind }>

type NativeTool = WrittenKind<Tool, 'native', { dialect: 'written'; name: 'written'; raw: 'written' }>

/** The tools written so far. */
interface ToolDraft extends Writing {
  names: ToolNames
  wrapped: string[]
  tools: Body[]
  search: Body | undefined
}

/** The fields `tools`, `tool_choice`, `parallel_tool_calls` and `web_search_options`, as far as they are needed. */
export function writeTools(writing: Writing): WrittenTools {
  const { request } = writing
  const names = toolNames(request, nameRules)
  const draft: ToolDraft = { ...writing, names, wrapped: [], tools: [], search: undefined }
  for (const tool of request.tools) writeKind(tool, toolWriters, draft)
  const { tools, search, wrapped } = draft
  return {
    fields: {
      ...(tools.length > 0 && { tools, ...writeFields(request.toolPolicy, policyWriters, draft) }),
      ...(search && { web_search_options: search }),
    },
    names,
    wrapped,
  }
}

const toolWriters: KindWriters<Tool, ToolDraft, void> = {
  function: (tool, draft) => draft.tools.push({ type: 'function', function: writeFields(tool, functionWriters, draft) }),
  custom: (tool, draft) => {
    if (draft.target.capabilities.customToolsRefused) draft.wrapped.push(tool.name)
    draft.tools.push(draft.target.capabilities.customToolsRefused ? wrappedTool(tool, draft) : customTool(tool, draft))
  },
  'web-search': (tool, draft) => {
    draft.search = writeSearch(tool, draft)
  },
  native: (tool: NativeTool, { tools, losses }) => {
    if (tool.dialect === 'chat') tools.push(tool.raw as Body)
    else losses.dropped(hostedTool(tool.name), 'Only another vendor has this tool.')
  },
}

const functionWriters: FieldWriters<ToolOf<'function'>, ToolDraft> = {
  name: (name, { names }, { namespace }) => ({ name: names.out(name, namespace) }),
  namespace: writtenElsewhere,
  description: (description) => ({ description }),
  parameters: (parameters) => ({ parameters }),
  strict: (strict) => ({ strict }),
  cache: leavesOut('tools.cache', 'The upstream takes cache breakpoints only in messages.'),
  // This dialect has none, and `recordForeign` records those of other dialects.
  extra: notNeeded,
}

const customTool = (tool: ToolOf<'custom'>, draft: ToolDraft): Body => ({
  type: 'custom',
  custom: writeFields(tool, customWriters, draft),
})

const customWriters: FieldWriters<ToolOf<'custom'>, ToolDraft> = {
  name: (name, { names }, { namespace }) => ({ name: names.out(name, namespace) }),
  namespace: writtenElsewhere,
  description: (description) => ({ description }),
  grammar: (grammar) => ({ format: { type: 'grammar', grammar } }),
  // This dialect has none, and `recordForeign` records those of other dialects.
  extra: notNeeded,
}

/** A tool that takes free text, for an upstream that only supports functions. */
function wrappedTool({ name, namespace, description, grammar }: ToolOf<'custom'>, { names, losses }: ToolDraft): Body {
  losses.adapted('tools.custom', 'A tool that takes free text became a function with one text parameter.')
  if (grammar) losses.dropped('tools.custom.grammar', 'The grammar of a tool is only described, not enforced.')
  const rule = grammar && `The input must follow this ${grammar.syntax} grammar:\n${grammar.definition}`
  const text = [description, rule].filter(Boolean).join('\n\n')
  const fields = { name: names.out(name, namespace), ...(text !== '' && { description: text }), parameters: wrappedParameters }
  return { type: 'function', function: fields }
}

function writeSearch(tool: ToolOf<'web-search'>, writing: Writing): Body | undefined {
  if (tool.dialect === 'chat') return tool.raw as Body
  if (leavesOutSearch(tool, writing.losses)) return undefined
  if (writing.target.capabilities.chatSearchRefused !== true) return writeFields(tool, searchWriters, writing)
  writing.losses.dropped('tools.web-search', 'This model cannot search the web in this dialect.')
  return undefined
}

const searchWriters: FieldWriters<ToolOf<'web-search'>, Writing> = {
  allowedDomains: (domains, writing) => lostDomains('allowedDomains', domains, writing),
  blockedDomains: (domains, writing) => lostDomains('blockedDomains', domains, writing),
  contextSize: (search_context_size) => ({ search_context_size }),
  location: ({ city, country, region, timezone }) => {
    const known = Object.entries({ city, country, region, timezone }).filter(([, value]) => typeof value === 'string')
    return known.length > 0 ? { user_location: { type: 'approximate', approximate: Object.fromEntries(known) } } : undefined
  },
  maxUses: (_, { losses }) => {
    losses.dropped('tools.web-search.maxUses', 'The upstream has no limit on searches.')
    return undefined
  },
  // Left out if it must not fetch anything: writeSearch.
  live: writtenElsewhere,
  // The tool as another dialect has it.
  raw: notNeeded,
  dialect: notNeeded,
  // `recordForeign` records them.
  unread: notNeeded,
}

function lostDomains(field: string, domains: readonly string[], { losses }: Writing): undefined {
  if (domains.length > 0) losses.dropped(`tools.web-search.${field}`, 'The upstream’s search cannot be restricted to domains.')
  return undefined
}

/** Written after the tools, because a policy can only name existing ones. */
const policyWriters: FieldWriters<ToolPolicy, ToolDraft> = {
  mode: (mode, draft, { only }) => writeChoice(mode, only ? chosen(only, draft) : undefined, draft),
  only: writtenElsewhere,
  parallel: (parallel_tool_calls) => ({ parallel_tool_calls }),
}

function writeChoice(mode: ToolPolicy['mode'], allowed: Body[] | undefined, { target, losses }: Writing): Body | undefined {
  const isForced = mode === 'required'
  if (isForced && target.capabilities.forcedToolRefused) {
    losses.dropped('toolPolicy.mode', 'This model cannot be made to call a tool.')
    return allowed && { tool_choice: subset('auto', allowed) }
  }
  const [first, ...others] = allowed ?? []
  if (isForced && first && others.length === 0) return { tool_choice: first }
  if (allowed && allowed.length > 0 && mode !== 'none') return { tool_choice: subset(mode, allowed) }
  if (allowed && mode === 'auto') return { tool_choice: 'none' }
  return mode === 'auto' ? undefined : { tool_choice: mode }
}

const subset = (mode: ToolPolicy['mode'], tools: Body[]) => ({ type: 'allowed_tools', allowed_tools: { mode, tools } })

/** References to the written tools that `only` means, by the name the client gave them. */
function chosen(only: readonly string[], { request, tools }: ToolDraft): Body[] {
  const wanted = new Set(only)
  let at = 0
  return request.tools.flatMap((tool) => {
    if (tool.kind === 'web-search' || (tool.kind === 'native' && tool.dialect !== 'chat')) return []
    const written = tools[at++]
    const type = written?.type === 'custom' ? 'custom' : 'function'
    const fields = written?.[type]
    const isMeant = wanted.has(tool.name) && typeof fields === 'object' && fields !== null && 'name' in fields
    return isMeant ? [{ type, [type]: { name: fields.name } }] : []
  })
}
