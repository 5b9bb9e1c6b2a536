import { useLocation, useParams } from '@solidjs/router'
import { Show } from 'solid-js'
import { createLoad } from '#client/console/load.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { CopyButton } from '#client/ui/console/copy.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { BesideRequest } from './beside-request.tsx'
import { t } from './messages.ts'
import { RequestDetail } from './request-detail.tsx'
import { RequestActions, readRequest } from './request-drawer.tsx'

/** `/requests/:id` */
export function RequestPage() {
  const params = useParams<{ id: string }>()
  const location = useLocation()
  const request = createLoad(() => params.id, readRequest)
  return (
    <Page
      title={params.id}
      above={[{ label: t('title'), href: `/requests${location.search}` }]}
      mark={<CopyButton text={params.id} what={t('id')} />}
      actions={
        <Show when={request.value()}>
          {(row) => (
            <>
              <BesideRequest row={row()} />
              <span class="flex gap-2 max-[759px]:hidden">
                <RequestActions row={row()} />
              </span>
            </>
          )}
        </Show>
      }
    >
      <WhenLoaded of={request} missing={{ title: t('notFound'), why: t('notFoundWhy'), href: '/requests', toList: t('toRequests') }}>
        {(row) => (
          <>
            <div class="mb-3 flex flex-wrap gap-2 min-[760px]:hidden">
              <RequestActions row={row()} />
              <CopyButton text={params.id} what={t('id')} />
            </div>
            <div class="card max-w-[860px]">
              <h2 class="sr-only">{t('request')}</h2>
              <RequestDetail row={row()} />
            </div>
          </>
        )}
      </WhenLoaded>
    </Page>
  )
}
