/** The audit trail: who changed what, and when. For administrators. */

/** Whoever makes a change, such as a signed-in user. */
export interface Actor {
  /** A user's id, or `file`, `setup`, `environment`, `anyone`. */
  id: string
  /** Null when no one was signed in. */
  name: string | null
  /** The request that made the change. */
  requestId?: string
  /** The management key through which the user acts. */
  through?: { id: string; name: string }
}

/** Changes made by parley.yaml. */
export const theFile: Actor = { id: 'file', name: null }

/** What an id can stand for. */
export const namedKinds = ['user', 'team', 'key', 'managementKey', 'channel', 'plan'] as const

/** What an id stands for, and the name that it has now. */
export interface NamedThing {
  kind: (typeof namedKinds)[number]
  name: string
}

/** A row of GET /api/audit, newest first. */
export interface AuditRow {
  id: string
  at: string
  actor: string
  actorName: string | null
  /** If a management key acted, the user who owns it; `actor` is then the key. */
  owner: { id: string; name: string } | null
  action: string
  target: string
  targetName: string
  /** The changed fields as they were before; null for a new row. Secrets say only `set` or `changed`. */
  before: Record<string, unknown> | null
  /** The same fields after the change; null for a deleted row. */
  after: Record<string, unknown> | null
  /** What the ids in `target`, `before` and `after` stand for; what no longer exists is missing. */
  names: Record<string, NamedThing>
  requestId: string | null
}
