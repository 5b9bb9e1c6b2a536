import { createSignal, Show, Suspense } from 'solid-js'
import { IconButton } from '#client/ui/button.tsx'
import { Secret } from '#client/ui/console/copy.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import { t } from './messages.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

/** The secret of a new webhook, until closed. Closing it before it was copied asks first. */
export function HookSecret(props: { name: string; secret: string; onClose(): void }) {
  const [taken, setTaken] = createSignal(false)
  const [asking, setAsking] = createSignal(false)
  return (
    <section class="once mb-4" aria-label={t('onceLabel')}>
      <Icon name="key" />
      <div class="grid min-w-0 gap-2">
        <div>
          <h2>{t('onceTitle', { name: props.name })}</h2>
          <p>{t('onceWhy')}</p>
        </div>
        <Secret
          label={t('onceLabel')}
          text={props.secret}
          file="parley-webhook.env"
          fileText={`PARLEY_WEBHOOK_SECRET=${props.secret}\n`}
          onTaken={() => setTaken(true)}
        />
      </div>
      <IconButton name="x" label={tc('close')} onClick={() => (taken() ? props.onClose() : setAsking(true))} />
      <Suspense>
        <Show when={asking()}>
          <Confirm
            title={t('onceLeave')}
            intro={t('onceLeaveWhy')}
            safe={t('onceStay')}
            go={t('onceGo')}
            onClose={() => setAsking(false)}
            onGo={() => props.onClose()}
          />
        </Show>
      </Suspense>
    </section>
  )
}
