/** `/admin/selling`: plans, codes, and payments; a tab for each. Tab and filters are in the URL. */
import { Show } from 'solid-js'
import { detailOf, explain } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { Page } from '#client/ui/console/page.tsx'
import { Failure } from '#client/ui/console/states.tsx'
import { LinkTabs } from '#client/ui/console/tabs.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import type { PlanRow } from '#shared/console/selling'
import { CodesPart } from './codes-part.tsx'
import { CreditsPart } from './credits-part.tsx'
import { t } from './messages.ts'
import { PlansPart } from './plans-part.tsx'

const tabs = ['plans', 'codes', 'payments'] as const

/** The page. */
export function SellingPage() {
  const url = useUrlState()
  const tab = () => tabs.find((one) => one === url.get('tab')) ?? 'plans'
  const plans = createLoad(
    () => '/api/plans',
    (path, signal) => readAll<PlanRow>(path, signal),
  )
  const failed = () => (plans.value() ? undefined : plans.error())
  return (
    <Page
      title={t('title')}
      tabs={
        <LinkTabs
          label={t('title')}
          current={tab()}
          tabs={[
            { id: 'plans', label: t('plans') },
            { id: 'codes', label: t('codes') },
            { id: 'payments', label: t('credits') },
          ]}
          href={(id) => `/admin/selling${id === 'plans' ? '' : `?tab=${id}`}`}
        />
      }
    >
      <Show
        when={failed()}
        fallback={
          <>
            <Show when={tab() === 'plans'}>
              <PlansPart plans={plans} />
            </Show>
            <Show when={tab() === 'codes'}>
              <CodesPart plans={plans.value() ?? []} />
            </Show>
            <Show when={tab() === 'payments'}>
              <CreditsPart />
            </Show>
          </>
        }
      >
        {(error) => <Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void plans.reload()} />}
      </Show>
    </Page>
  )
}
