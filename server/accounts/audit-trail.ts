/** The audit trail for administrators: what was changed, and by whom. */
import type { AuditRow } from '#shared/console/audit'
import type { Page } from '#shared/console/model'
import { type AuditQuestion, type AuditRecord, pageAudit } from '#store/accounts/audit'
import { namesInAudit } from '#store/accounts/audit-names'
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
      const names = await namesInAudit(store, rows)
      return { data: rows.map((row, n) => rowOf(row, names[n] ?? {})), next }
    },
  }
}

const rowOf = ({ ownerId, ownerName, ...row }: AuditRecord, names: AuditRow['names']): AuditRow => ({
  ...row,
  id: String(row.id),
  at: row.at.toISOString(),
  owner: ownerId === null ? null : { id: ownerId, name: ownerName ?? '' },
  names,
})
