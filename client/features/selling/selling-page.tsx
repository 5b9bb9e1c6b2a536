/** `/admin/selling`: plans, codes, and what payment systems posted. */
import { Show } from 'solid-js'
import { detailOf, explain } from '#client/console/explain.ts'
import { createLoad, createPages, readAll } from '#client/console/load.ts'
import { Page } from '#client/ui/console/page.tsx'
import { Failure } from '#client/ui/console/states.tsx'
import type { CodeRow, CreditRow, PlanRow } from '#shared/console/selling'
import { CodesPart } from './codes-part.tsx'
import { CreditsPart } from './credits-part.tsx'
import { t } from './messages.ts'
import { PlansPart } from './plans-part.tsx'

/** The page. */
export function SellingPage() {
  const plans = createLoad(
    () => '/api/plans',
    (path, signal) => readAll<PlanRow>(path, signal),
  )
  const codes = createPages<CodeRow>(() => '/api/codes?limit=50')
  const credits = createPages<CreditRow>(() => '/api/credits?limit=50')
  const failed = () => (plans.value() && codes.value() && credits.value() ? undefined : (plans.error() ?? codes.error() ?? credits.error()))
  const readAgain = () => {
    void plans.reload()
    void codes.reload()
    void credits.reload()
  }
  return (
    <Page title={t('title')}>
      <p class="mb-4 max-w-[560px] text-[13px] text-ink-2">{t('intro')}</p>
      <Show
        when={failed()}
        fallback={
          <div class="grid gap-8">
            <PlansPart plans={plans} />
            <CodesPart codes={codes} plans={plans.value() ?? []} />
            <CreditsPart credits={credits} />
          </div>
        }
      >
        {(error) => <Failure text={explain(error())} detail={detailOf(error())} onRetry={readAgain} />}
      </Show>
    </Page>
  )
}
