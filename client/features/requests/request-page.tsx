import { useLocation, useParams } from '@solidjs/router'
import { Show } from 'solid-js'
import { detailOf, explain } from '#client/console/explain.ts'
import { createLoad } from '#client/console/load.ts'
import { CopyButton } from '#client/ui/console/copy.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Empty, Failure, Skeleton } from '#client/ui/console/states.tsx'
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
      <Show
        when={request.value()}
        fallback={
          <Show when={request.error()} fallback={<Skeleton />}>
            {(error) => (
              <Show
                when={error().code === 'not_found'}
                fallback={<Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void request.reload()} />}
              >
                <Empty
                  title={t('notFound')}
                  action={
                    <a class="btn" href="/requests">
                      {t('toRequests')}
                    </a>
                  }
                >
                  {t('notFoundWhy')}
                </Empty>
              </Show>
            )}
          </Show>
        }
      >
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
      </Show>
    </Page>
  )
}
