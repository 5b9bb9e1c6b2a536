/** Search and filters of the model list. */
import type { ModelRow } from '#shared/console/model'

/** Abilities that the list can filter by. */
export const abilities = ['vision', 'tools', 'reasoning'] as const
/** An ability of a model. */
export type Ability = (typeof abilities)[number]

/** Whether the model is known to have an ability. Unknown counts as no. */
export const hasAbility = (row: ModelRow, ability: Ability): boolean => {
  const capability = row.capabilities[ability]
  return capability !== undefined && capability !== false
}

/** Rows whose name contains every word of `search` and that have all `wanted` abilities, in their order. */
export function filterModels(rows: readonly ModelRow[], search: string, wanted: ReadonlySet<Ability>): ModelRow[] {
  const parts = search.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter((row) => {
    const name = row.id.toLowerCase()
    return parts.every((part) => name.includes(part)) && [...wanted].every((ability) => hasAbility(row, ability))
  })
}
