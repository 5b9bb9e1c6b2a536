/** Which models a search shows, and what a model can do, as the list and its filters read it. */
import type { ModelRow } from '#shared/console/model'

export const abilities = ['vision', 'tools', 'reasoning'] as const
export type Ability = (typeof abilities)[number]

/** A capability that nobody denied is shown only when somebody claimed it. */
export const hasAbility = (row: ModelRow, ability: Ability): boolean => {
  const said = row.capabilities[ability]
  return said !== undefined && said !== false
}

/** Rows whose name contains every word of `search` and that have all `wanted` abilities, in their order. */
export function filterModels(rows: readonly ModelRow[], search: string, wanted: ReadonlySet<Ability>): ModelRow[] {
  const parts = search.toLowerCase().split(/\s+/).filter(Boolean)
  return rows.filter((row) => {
    const name = row.id.toLowerCase()
    return parts.every((part) => name.includes(part)) && [...wanted].every((ability) => hasAbility(row, ability))
  })
}
