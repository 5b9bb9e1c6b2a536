/** What cannot be undone, or changes much at once. */
import { Button } from '#client/ui/button.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { t } from './messages.ts'

/** The card. `onReset` puts the defaults into the form, which shows the difference before it is saved. */
export function DangerCard(props: { isUsual: boolean; onReset(): void }) {
  return (
    <section id="settings-danger">
      <Card title={t('danger')} bad>
        <div class="flex flex-wrap items-center gap-3 text-[13px]">
          <span class="min-w-[min(100%,220px)] flex-1 text-ink-2">{props.isUsual ? t('nothingChanged') : t('resetWhy')}</span>
          <Button look="bad" aria-disabled={props.isUsual ? 'true' : undefined} onClick={() => props.isUsual || props.onReset()}>
            {t('reset')}
          </Button>
        </div>
      </Card>
    </section>
  )
}
