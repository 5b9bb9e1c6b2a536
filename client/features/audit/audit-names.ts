/** Replaces ids in the audit trail by the names of what they identify. */
import type { AuditRow, NamedThing } from '#shared/console/audit'

type Names = AuditRow['names']

/** An identified object in a text. */
export interface NamedPiece {
  id: string
  name: string
  /** Its page; undefined if it has none. */
  path: string | undefined
}

const paths: Record<NamedThing['kind'], ((id: string) => string) | undefined> = {
  user: (id) => `/admin/users/${id}`,
  team: (id) => `/admin/teams?open=${id}`,
  key: (id) => `/keys/${id}`,
  channel: (id) => `/admin/channels/${id}`,
  plan: () => '/admin/selling',
  managementKey: undefined,
}

/** The page of the object with this id; undefined if it is gone or has none. */
export const pathOfId = (id: string, names: Names): string | undefined => {
  const thing = names[id]
  return thing && paths[thing.kind]?.(encodeURIComponent(id))
}

/** The text in pieces, with objects in place of their ids. */
export function piecesOf(text: string, names: Names): (string | NamedPiece)[] {
  // An id may be part of a longer one: longest first.
  const ids = Object.keys(names).sort((a, b) => b.length - a.length)
  if (ids.length === 0) return [text]
  return text.split(new RegExp(`(${ids.join('|')})`)).flatMap((part): (string | NamedPiece)[] => {
    const name = names[part]?.name
    if (name !== undefined) return [{ id: part, name, path: pathOfId(part, names) }]
    return part === '' ? [] : [part]
  })
}

/** The text with names in place of ids; `withIds`: with the ids behind them. */
export const namedText = (text: string, names: Names, withIds = false): string =>
  piecesOf(text, names)
    .map((piece) => (typeof piece === 'string' ? piece : withIds ? `${piece.name} (${piece.id})` : piece.name))
    .join('')

/** The target's name at the time; its current name if only the id was recorded. */
export const targetNameOf = ({ target, targetName, names }: Pick<AuditRow, 'target' | 'targetName' | 'names'>): string =>
  targetName === target ? namedText(target, names) : targetName
