/** Route simulation over all channels. The sample request is in the URL. */
import { Page } from '#client/ui/console/page.tsx'
import { t } from './messages.ts'
import { Simulation } from './simulation.tsx'

/** `/admin/channels/simulate` */
export function SimulatePage() {
  return (
    <Page title={t('simulate')} above={[{ label: t('title'), href: '/admin/channels' }]}>
      <Simulation />
    </Page>
  )
}
