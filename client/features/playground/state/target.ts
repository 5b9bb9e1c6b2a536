/** Which group and model the next request goes to. */
import type { Conversation } from '#client/features/playground/conversation/conversation.ts'
import type { Catalogue } from '#client/features/playground/models/catalogue.ts'

/** Group and model of a request. */
export interface ModelTarget {
  group: string
  model: string
}

/** Inputs for finding the target. */
export interface TargetSearch {
  conversation: Pick<Conversation, 'group' | 'model'>
  /** A started conversation keeps its model, even if it is unavailable. */
  begun: boolean
  /** Group and model of the last used conversation. */
  lastUsed: Pick<Conversation, 'group' | 'model'> | undefined
  /** The default group of the payer; undefined until known. */
  ownGroup: string | undefined
  catalogue: Catalogue
}

/**
 * Group and model of the next request; null while nothing is known, or if no group has a model. Before the first message these are
 * the chosen ones, else the last used ones, else the first model of the payer's default group, else of another group, always an
 * available one.
 */
export function findTarget({ conversation, begun, lastUsed, ownGroup, catalogue }: TargetSearch): ModelTarget | null {
  const chosen = withGroup(conversation, ownGroup)
  if (begun && chosen) return chosen
  if (chosen && isThere(catalogue, chosen.group, chosen.model) !== false) return chosen
  if (conversation.group !== null && hasGroup(catalogue, conversation.group) !== false) return firstOf(catalogue, [conversation.group])
  const last = lastUsed && withGroup(lastUsed, ownGroup)
  if (last && isThere(catalogue, last.group, last.model) !== false) return last
  if (ownGroup === undefined) return null
  const groups = catalogue.groups()
  const others = groups.state === 'ready' ? groups.rows.map((row) => row.name).filter((name) => name !== ownGroup) : []
  return firstOf(catalogue, [ownGroup, ...others])
}

function withGroup({ group, model }: Pick<Conversation, 'group' | 'model'>, ownGroup: string | undefined): ModelTarget | null {
  const named = group ?? ownGroup
  return model === null || named === undefined ? null : { group: named, model }
}

/** Whether the payer may use a group; undefined until known. */
function hasGroup(catalogue: Catalogue, group: string): boolean | undefined {
  const groups = catalogue.groups()
  return groups.state === 'ready' ? groups.rows.some(({ name }) => name === group) : undefined
}

/** Whether a group has a model; undefined until known. */
export function isThere(catalogue: Catalogue, group: string, model: string): boolean | undefined {
  if (hasGroup(catalogue, group) === false) return false
  const listed = catalogue.models(group)
  if (listed.state === 'ready') return listed.rows.some((row) => row.id === model)
  return listed.state === 'failed' && listed.error.code === 'group_not_allowed' ? false : undefined
}

/** The first model of the first group that has one; the lists are loaded one after the other. */
function firstOf(catalogue: Catalogue, groups: readonly string[]): ModelTarget | null {
  for (const group of groups) {
    const listed = catalogue.models(group)
    if (listed.state === 'loading') return null
    const first = listed.state === 'ready' ? listed.rows[0] : undefined
    if (first) return { group, model: first.id }
  }
  return null
}
