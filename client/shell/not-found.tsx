import { useLocation } from '@solidjs/router'
import { useSession } from '#client/api/session.ts'
import { Page } from '#client/ui/console/page.tsx'
import { Empty } from '#client/ui/console/states.tsx'
import { t } from './messages.ts'

/** No page has this address. */
export function NotFound() {
  const location = useLocation()
  return (
    <Page title={t('notFound')}>
      <Empty
        title={t('notFound')}
        action={
          <a class="btn primary" href="/">
            {t('notFoundGo')}
          </a>
        }
      >
        {t('notFoundWhy', { path: location.pathname })}
      </Empty>
    </Page>
  )
}

/** The page is for administrators only. */
export function NotAllowed() {
  const { user } = useSession()
  return (
    <Page title={t('notAllowed')}>
      <Empty
        title={t('notAllowed')}
        action={
          <a class="btn" href="/">
            {t('notFoundGo')}
          </a>
        }
      >
        {t('notAllowedWhy', { name: user().name })}
      </Empty>
    </Page>
  )
}
