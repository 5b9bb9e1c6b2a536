/** Texts for rows of the audit trail. */
import type { AuditRow } from '#shared/console/audit'
import { en } from './en.ts'
import { t } from './messages.ts'

/** The actor. */
export function actorOf(row: AuditRow): string {
  if (row.owner !== null) return t('keyOf', { key: row.actorName ?? row.actor, owner: row.owner.name })
  if (row.actorName !== null) return row.actorName
  const named: Record<string, string> = { file: t('file'), setup: t('setup'), environment: t('environment') }
  return named[row.actor] ?? row.actor
}

/** The action; its raw name if it has no translation. */
export const titleOf = ({ action }: AuditRow): string => (action in en && action.includes('.') ? t(action as keyof typeof en) : action)
