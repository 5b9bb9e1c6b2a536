/** What was changed by whom, as administrators read it. */
import type { AuditRow } from '#shared/console/audit'
import type { Page } from '#shared/console/model'
import { type AuditQuestion, type AuditRecord, pageAudit } from '#store/accounts/audit'
import type { Store } from '#store/engine/store'

export interface AuditTrail {
  /** Newest first. Throws `invalid_value` for an `after` that is not one of ours. */
  page(asked: AuditQuestion): Promise<Page<AuditRow>>
}

export function createAuditTrail(store: Store): AuditTrail {
  return {
    async page(asked) {
      const { rows, next } = await pageAudit(store, asked)
      return { data: rows.map(rowOf), next }
    },
  }
}

const rowOf = (row: AuditRecord): AuditRow => ({ ...row, id: String(row.id), at: row.at.toISOString() })
