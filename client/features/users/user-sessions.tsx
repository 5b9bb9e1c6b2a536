import { SessionsCard } from '#client/console/lists/sessions-card.tsx'
import type { AccountRow } from '#shared/console/user'
import { t } from './messages.ts'

/** The sessions of the user, with a way to end them. */
export function UserSessions(props: { row: AccountRow }) {
  return <SessionsCard path={`/api/users/${encodeURIComponent(props.row.id)}/sessions`} title={t('sessions')} none={t('sessionsNone')} />
}
