/**
 * Maps tool names for an upstream that allows fewer characters or has no namespaces, reversibly. One map serves a request, including
 * its history, and its memo serves the answer.
 */
import type { Memo } from '#canonical/codec'
import type { ConversationRequest } from '#canonical/conversation'
import { cannotCarry } from '#canonical/refusal'

/** Rules for names. */
export interface NameRules {
  /** Characters that are not allowed, as a global expression; each match becomes `_`. */
  foreign: RegExp
  /** Longest name, in characters; at least 16. */
  longest: number
}

/** The names of one request. */
export interface ToolNames {
  /** The upstream's name, always the same for the same tool. */
  out(name: string, namespace?: string): string
  /** The names that differ from the client's, for the memo. Complete once everything is written. */
  memo(): Required<Pick<Memo, 'toolNames' | 'toolSpaces'>>
}

/**
 * Names every tool of `request` first, so that the history gets the same names. Throws `unsupported_value` for two tools with the
 * same name.
 */
export function toolNames(request: ConversationRequest, rules: NameRules): ToolNames {
  const given = new Map<string, string>()
  const taken = new Set<string>()
  const numbers = new Map<string, number>()
  const names = new Map<string, string>()
  const spaces = new Map<string, string>()

  function out(name: string, namespace?: string): string {
    const key = JSON.stringify([namespace, name])
    const before = given.get(key)
    if (before !== undefined) return before
    const upstream = free(plainName(namespace === undefined ? name : `${namespace}__${name}`, rules))
    given.set(key, upstream)
    taken.add(upstream)
    if (upstream !== name) names.set(upstream, name)
    if (namespace !== undefined) spaces.set(upstream, namespace)
    return upstream
  }

  function free(wanted: string): string {
    if (wanted.length <= rules.longest && !taken.has(wanted)) return wanted
    // Leaves room for a number that distinguishes names truncated or changed to the same text.
    const stem = wanted.slice(0, rules.longest - 8)
    for (let number = (numbers.get(stem) ?? 1) + 1; ; number++) {
      if (taken.has(`${stem}_${number}`)) continue
      numbers.set(stem, number)
      return `${stem}_${number}`
    }
  }

  for (const tool of request.tools) {
    if (tool.kind !== 'function' && tool.kind !== 'custom') continue
    const before = given.size
    out(tool.name, tool.namespace)
    if (given.size === before) throw cannotCarry(request, 'tools', 'Two tools have the same name.')
  }
  return { out, memo: () => ({ toolNames: Object.fromEntries(names), toolSpaces: Object.fromEntries(spaces) }) }
}

const plainName = (wanted: string, { foreign }: NameRules) => wanted.replace(foreign, '_') || '_'

/** The client's name for a tool called by the upstream. */
export function clientName(memo: Memo, name: string): { name: string; namespace?: string } {
  const namespace = own(memo.toolSpaces, name)
  return { name: own(memo.toolNames, name) ?? name, ...(namespace !== undefined && { namespace }) }
}

const own = (map: Readonly<Record<string, string>> | undefined, key: string) => (map && Object.hasOwn(map, key) ? map[key] : undefined)
