import { SessionsCard } from '#client/console/lists/sessions-card.tsx'
import type { AccountRow } from '#shared/console/user'
import { t } from './messages.ts'

/** Where the user is signed in, and ending that. */
export function UserSessions(props: { row: AccountRow }) {
  return <SessionsCard path={`/api/users/${encodeURIComponent(props.row.id)}/sessions`} title={t('sessions')} none={t('sessionsNone')} />
}
