/**
 * Names of fields that two JSON readers may read differently: the same name twice in an object, where one reader takes the first and
 * another the last, and names that differ only in case, which some readers match. A body with such names is refused, since it would say
 * one thing here and another at the upstream.
 *
 * Costs little: the scanner counts the names in the text, and this counts those that are left in the parsed values; fewer means
 * duplicates. On the way it looks at each name where the caller's dialect defines names, and not in free maps.
 */
import { GatewayError } from '#shared/errors'

/** An entry of a table. */
interface Known {
  /** The value has arbitrary names of its own: a JSON Schema, arguments of a tool, labels. */
  isFree: boolean
  /** Another spelling of the same field, which must not occur together with this one. */
  twin: string | undefined
}

/** The names that a dialect defines. */
export interface NameTable {
  readonly known: ReadonlyMap<string, Known>
  /** Known names by their folded form. */
  readonly folded: ReadonlyMap<string, string>
  /** Length of the longest known name. */
  readonly longest: number
  /** Prefixes of strings, names included, that the scan looks for. */
  readonly sought: readonly string[]
}

export interface NameRules {
  names: Iterable<string>
  /** Names whose values are free maps. */
  free?: Iterable<string>
  /** A second spelling of each name; the name itself if there is none. */
  twin?(name: string): string
  sought?: readonly string[]
}

/** A table of known names. */
export function nameTable({ names, free = [], twin = (name) => name, sought = [] }: NameRules): NameTable {
  const open = new Set(free)
  const known = new Map<string, Known>()
  for (const name of new Set([...names, ...open])) {
    const other = twin(name)
    const isFree = open.has(name)
    known.set(name, { isFree, twin: other === name ? undefined : other })
    if (other !== name) known.set(other, { isFree, twin: name })
  }
  const folded = new Map([...known.keys()].map((name) => [foldName(name), name]))
  return { known, folded, longest: Math.max(0, ...[...known.keys()].map((name) => name.length)), sought }
}

/** A name under Unicode simple case folding: names that a case-insensitive reader considers equal get the same result. */
export function foldName(name: string): string {
  if (/^[\0-\x7f]*$/.test(name)) return name.toLowerCase()
  return [...name].map(foldLetter).join('')
}

function foldLetter(letter: string): string {
  const upper = letter.toUpperCase()
  // A letter that becomes several has only a full folding, and the dotless i none.
  return (upper.length === letter.length && letter !== 'ı' ? upper : letter).toLowerCase()
}

/** The number of names in all objects of `value`. Throws `ambiguous_field` for a variant of a known name. */
export function countNames(value: object, table: NameTable | undefined): number {
  let count = 0
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (typeof item === 'object' && item !== null) count += countNames(item, table)
    }
    return count
  }
  const fields = value as Record<string, unknown>
  for (const name in fields) {
    count++
    const inner = fields[name]
    const below = table && tableBelow(table, name, fields)
    if (typeof inner === 'object' && inner !== null) count += countNames(inner, below)
  }
  return count
}

/** The table for the value of the field; undefined if its names are free. */
function tableBelow(table: NameTable, name: string, fields: object): NameTable | undefined {
  const known = table.known.get(name)
  if (known === undefined) {
    const meant = name.length <= table.longest ? table.folded.get(foldName(name)) : undefined
    if (meant !== undefined) throw ambiguousField(meant)
    return undefined
  }
  if (known.twin !== undefined && Object.hasOwn(fields, known.twin)) throw ambiguousField(name)
  return known.isFree ? undefined : table
}

/** Throws `ambiguous_field` if a name of the object differs from one of `names` only in case. */
export function refuseVariants(fields: Iterable<string>, names: Iterable<string>): void {
  const meant = new Map([...names].map((name) => [foldName(name), name]))
  if (meant.size === 0) return
  for (const field of fields) {
    const name = meant.get(foldName(field))
    if (name !== undefined && name !== field) throw ambiguousField(name)
  }
}

/** `name` is one of ours: nothing received is repeated. */
export function ambiguousField(name?: string): GatewayError {
  const what = 'The body has a name twice in one object, or one that differs from a known name only in case or spelling.'
  return new GatewayError('ambiguous_field', what, name === undefined ? {} : { param: name })
}
