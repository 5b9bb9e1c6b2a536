/** `/admin/selling`: plans, codes, and payments; a tab for each. Tab and filters are in the URL. */
import { Show } from 'solid-js'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createLoad, readAll } from '#client/console/load.ts'
import { Page } from '#client/ui/console/page.tsx'
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
      <Loaded of={plans}>
        <Show when={tab() === 'plans'}>
          <PlansPart plans={plans} />
        </Show>
        <Show when={tab() === 'codes'}>
          <CodesPart plans={plans.value() ?? []} />
        </Show>
        <Show when={tab() === 'payments'}>
          <CreditsPart />
        </Show>
      </Loaded>
    </Page>
  )
}
