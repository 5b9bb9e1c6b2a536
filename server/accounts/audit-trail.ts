/** The audit trail for administrators: what was changed, and by whom. */
import type { AuditRow } from '#shared/console/audit'
import type { Page } from '#shared/console/model'
import { type AuditQuestion, type AuditRecord, pageAudit } from '#store/accounts/audit'
import type { Store } from '#store/engine/store'

/** Reads the audit trail. */
export interface AuditTrail {
  /** One page, newest first. Throws `invalid_value` when `after` is not a cursor of this trail. */
  page(asked: AuditQuestion): Promise<Page<AuditRow>>
}

/** The audit trail of this store. */
export function createAuditTrail(store: Store): AuditTrail {
  return {
    async page(asked) {
      const { rows, next } = await pageAudit(store, asked)
      return { data: rows.map(rowOf), next }
    },
  }
}

const rowOf = ({ ownerId, ownerName, ...row }: AuditRecord): AuditRow => ({
  ...row,
  id: String(row.id),
  at: row.at.toISOString(),
  owner: ownerId === null ? null : { id: ownerId, name: ownerName ?? '' },
})
