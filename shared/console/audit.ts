/** The audit trail: who changed what, and when. For administrators. */

/** Who makes a change; a signed-in user is one. */
export interface Actor {
  /** A user's id, or `file`, `setup`, `environment`. */
  id: string
  /** Null where nobody was signed in. */
  name: string | null
  /** The request that asked for it. */
  requestId?: string
}

/** parley.yaml. */
export const theFile: Actor = { id: 'file', name: null }

/** A row of GET /api/audit, newest first. */
export interface AuditRow {
  id: string
  at: string
  actor: string
  actorName: string | null
  action: string
  target: string
  targetName: string
  /** The fields that changed, as they were; null where nothing was there. Secrets only say `set`, or `changed`. */
  before: Record<string, unknown> | null
  /** The same fields as they were then; null where nothing was left. */
  after: Record<string, unknown> | null
  requestId: string | null
}
