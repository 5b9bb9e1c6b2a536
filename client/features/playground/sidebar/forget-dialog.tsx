import { t } from '#client/features/playground/messages/messages.ts'
import type { PageContext } from '#client/features/playground/state/page-context.ts'
import { Confirm } from '#client/ui/dialog.tsx'
import { leave } from './leave.ts'

/** Asks before signing out with all conversations deleted, because they cannot be recovered. */
export function ForgetDialog(props: { page: PageContext; onClose(): void }) {
  return (
    <Confirm
      title={t('forgetTitle', { count: props.page.playground.library.list().length })}
      intro={t('deleteAllIntro')}
      safe={t('cancel')}
      go={t('signOutForget')}
      onGo={() => void leave(props.page, true)}
      onClose={props.onClose}
    />
  )
}
