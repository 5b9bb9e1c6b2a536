/** The result of an import: the sections of a parley.yaml, and a remark about everything that has no equivalent. */
import type { NewChannel } from '#shared/console/channel'
import type { GroupFields } from '#shared/console/group'
import type { DeclaredKey } from '#shared/console/key'
import type { PriceFields } from '#shared/console/price'
import type { Fallback } from '#shared/console/settings'
import type { DeclaredTeam } from '#shared/console/team'
import type { NewUser } from '#shared/console/user'

/** Something that was not imported, or was changed. */
export interface Remark {
  /** `channel openai-main`, `user ann`, ... */
  about: string
  field: string
  why: string
}

/** The sections, and the remarks. */
export interface Moved {
  groups: Record<string, GroupFields>
  channels: NewChannel[]
  prices: Record<string, PriceFields>
  users: NewUser[]
  teams: DeclaredTeam[]
  keys: DeclaredKey[]
  fallbacks: Record<string, Fallback>
  remarks: Remark[]
}

/** Nothing yet. */
export const nothingMoved = (): Moved => ({
  groups: {},
  channels: [],
  prices: {},
  users: [],
  keys: [],
  fallbacks: {},
  teams: [],
  remarks: [],
})

/** A number as a decimal text with at most nine places. */
export const plainDecimal = (value: number): string =>
  Number(value.toPrecision(12))
    .toFixed(9)
    .replace(/\.?0+$/, '') || '0'

/** Names that must be unique: a second one gets a number. */
export function uniqueNames(): (name: string) => string {
  const taken = new Set<string>()
  return (wanted) => {
    const name = wanted.trim().slice(0, 120) || 'unnamed'
    let free = name
    for (let n = 2; taken.has(free); n++) free = `${name} ${n}`
    taken.add(free)
    return free
  }
}

/** Parts of a text, trimmed and without duplicates. */
export const partsOf = (text: unknown, separator: string | RegExp): string[] => [
  ...new Set(
    String(text ?? '')
      .split(separator)
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
]
