/** Ids in rows of the audit trail, by the names of the things that they stand for. */
import type { AuditRow, NamedThing } from '#shared/console/audit'

type Names = AuditRow['names']

/** A thing in a text. */
export interface NamedPiece {
  id: string
  name: string
  /** Where it is shown; undefined: it has no page of its own. */
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

/** Where the thing with this id is shown; undefined for what is gone, or has no page of its own. */
export const pathOfId = (id: string, names: Names): string | undefined => {
  const thing = names[id]
  return thing && paths[thing.kind]?.(encodeURIComponent(id))
}

/** The text in pieces, with the things in place of their ids. */
export function piecesOf(text: string, names: Names): (string | NamedPiece)[] {
  // An id may stand in a longer one, which then counts.
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

/** The name of what was changed, as it was then; of something that is known only by its id, the name that it has now. */
export const targetNameOf = ({ target, targetName, names }: Pick<AuditRow, 'target' | 'targetName' | 'names'>): string =>
  targetName === target ? namedText(target, names) : targetName
