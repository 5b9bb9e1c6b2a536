/** Tools and their policy as Chat writes them. */
import type { Memo } from '#canonical/codec'
import type { Tool, ToolPolicy } from '#canonical/conversation'
import { hostedTool } from '#canonical/loss'
import { type NameRules, type ToolNames, toolNames } from '#canonical/tool-names'
import { wrappedParameters } from '#canonical/wrapped-tool'
import type { Body } from '../fields.ts'
import type { Writing } from './part-write.ts'

const nameRules: NameRules = { foreign: /[^a-zA-Z0-9_-]/g, longest: 64 }

export interface WrittenTools {
  fields: Body
  names: ToolNames
  wrapped: Memo['wrappedTools']
}

/** The fields `tools`, `tool_choice`, `parallel_tool_calls` and `web_search_options`, as far as they are needed. */
export function writeTools(writing: Writing): WrittenTools {
  const { request, target, losses } = writing
  const names = toolNames(request, nameRules)
  const wrapped: string[] = []
  const tools: Body[] = []
  let search: Body | undefined
  for (const tool of request.tools) {
    if (tool.kind === 'web-search') search = writeSearch(tool, writing)
    else if (tool.kind === 'native') {
      if (tool.dialect === 'chat') tools.push(tool.raw as Body)
      else losses.dropped(hostedTool(tool.name), 'Only another vendor has this tool.')
    } else if (tool.kind === 'custom') {
      if (target.capabilities.customToolsRefused) wrapped.push(tool.name)
      tools.push(writeCustom(tool, names.out(tool.name, tool.namespace), writing))
    } else tools.push(writeFunction(tool, names.out(tool.name, tool.namespace), writing))
  }
  return {
    fields: {
      ...(tools.length > 0 && { tools, ...writePolicy(request.toolPolicy, tools, writing) }),
      ...(search && { web_search_options: search }),
    },
    names,
    wrapped,
  }
}

function writeFunction(tool: Extract<Tool, { kind: 'function' }>, name: string, { losses }: Writing): Body {
  const { description, parameters, strict, cache } = tool
  if (cache) losses.forgotten('tools.cache', 'The upstream takes cache breakpoints only in messages.')
  const fields = { name, ...(description !== undefined && { description }), parameters, ...(strict !== undefined && { strict }) }
  return { type: 'function', function: fields }
}

function writeCustom(tool: Extract<Tool, { kind: 'custom' }>, name: string, { target, losses }: Writing): Body {
  const { description, grammar } = tool
  if (!target.capabilities.customToolsRefused) {
    const format = grammar && { type: 'grammar', grammar }
    return { type: 'custom', custom: { name, ...(description !== undefined && { description }), ...(format && { format }) } }
  }
  losses.adapted('tools.custom', 'A tool that takes free text became a function with one text.')
  if (grammar) losses.dropped('tools.custom.grammar', 'The grammar of a tool is told in words and not enforced.')
  const rule = grammar && `The input must follow this ${grammar.syntax} grammar:\n${grammar.definition}`
  const told = [description, rule].filter(Boolean).join('\n\n')
  return { type: 'function', function: { name, ...(told !== '' && { description: told }), parameters: wrappedParameters } }
}

function writeSearch(tool: Extract<Tool, { kind: 'web-search' }>, { target, losses }: Writing): Body | undefined {
  if (tool.dialect === 'chat') return tool.raw as Body
  if (target.capabilities.chatSearchRefused === true) {
    losses.dropped('tools.web-search', 'This model cannot search the web in this dialect.')
    return undefined
  }
  for (const list of ['allowedDomains', 'blockedDomains'] as const) {
    if (tool[list]?.length) losses.dropped(`tools.web-search.${list}`, 'The upstream’s search cannot be held to domains.')
  }
  const { city, country, region, timezone } = tool.location ?? {}
  const approximate = Object.fromEntries(
    Object.entries({ city, country, region, timezone }).filter(([, value]) => typeof value === 'string'),
  )
  return {
    ...(tool.contextSize !== undefined && { search_context_size: tool.contextSize }),
    ...(Object.keys(approximate).length > 0 && { user_location: { type: 'approximate', approximate } }),
  }
}

/** `tools` as they were written: a policy can only name what is there. */
function writePolicy({ mode, only, parallel }: ToolPolicy, tools: readonly Body[], writing: Writing): Body {
  const allowed = only ? chosen(only, tools, writing) : undefined
  return {
    ...writeChoice(mode, allowed, writing),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
  }
}

function writeChoice(mode: ToolPolicy['mode'], allowed: Body[] | undefined, { target, losses }: Writing): { tool_choice?: unknown } {
  const isForced = mode === 'required'
  if (isForced && target.capabilities.forcedToolRefused) {
    losses.dropped('toolPolicy.mode', 'This model cannot be made to call a tool.')
    return allowed ? { tool_choice: subset('auto', allowed) } : {}
  }
  const [first, ...others] = allowed ?? []
  if (isForced && first && others.length === 0) return { tool_choice: first }
  if (allowed && allowed.length > 0 && mode !== 'none') return { tool_choice: subset(mode, allowed) }
  if (allowed && mode === 'auto') return { tool_choice: 'none' }
  return mode === 'auto' ? {} : { tool_choice: mode }
}

const subset = (mode: ToolPolicy['mode'], tools: Body[]) => ({ type: 'allowed_tools', allowed_tools: { mode, tools } })

/** References to the written tools that are meant by `only`, by the name the client gave them. */
function chosen(only: readonly string[], tools: readonly Body[], { request }: Writing): Body[] {
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
