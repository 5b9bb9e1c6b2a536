/**
 * Names of tools for an upstream that allows fewer letters or knows no namespaces: a map that can be read backwards. One map
 * serves a request, its history included, and its memo reads the answer.
 */
import type { Memo } from './codec.ts'
import type { ConversationRequest } from './conversation.ts'
import { cannotCarry } from './refusal.ts'

export interface NameRules {
  /** What is not allowed in a name, as a global expression; each match becomes `_`. */
  foreign: RegExp
  /** Longest name, in characters; at least 16. */
  longest: number
}

export interface ToolNames {
  /** The upstream's name; the same question has the same answer. */
  out(name: string, namespace?: string): string
  /** What differs from the client's names, for the memo. Complete once everything is written. */
  memo(): Required<Pick<Memo, 'toolNames' | 'toolSpaces'>>
}

/** Names every tool of `request` first, so that the history follows them. Throws `unsupported_value` when two are called alike. */
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
    // Room for a number that keeps names apart which were cut or changed to the same letters.
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

/** What a call of the upstream is called at the client. */
export function clientName(memo: Memo, name: string): { name: string; namespace?: string } {
  const namespace = own(memo.toolSpaces, name)
  return { name: own(memo.toolNames, name) ?? name, ...(namespace !== undefined && { namespace }) }
}

const own = (map: Readonly<Record<string, string>> | undefined, key: string) => (map && Object.hasOwn(map, key) ? map[key] : undefined)
