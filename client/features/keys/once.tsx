import { createSignal, Show, Suspense } from 'solid-js'
import { IconButton } from '#client/ui/button.tsx'
import { Secret } from '#client/ui/console/copy.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { formatWhen } from '#client/ui/console/time.ts'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import { type FreshSecret, freshSecret, setFreshSecret } from './fresh-secret.ts'
import { t } from './messages.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

/** The new key in full, until closed. Closing it before it was copied asks first. */
export function ShownOnce() {
  return <Show when={freshSecret()}>{(fresh) => <Fresh fresh={fresh()} />}</Show>
}

function Fresh(props: { fresh: FreshSecret }) {
  const [taken, setTaken] = createSignal(false)
  const [asking, setAsking] = createSignal(false)
  const close = () => (taken() ? setFreshSecret(null) : setAsking(true))
  return (
    <section class="once" aria-label={t('onceLabel')}>
      <Icon name="key" />
      <div class="grid min-w-0 gap-2">
        <div>
          <h2>{t('onceTitle', { name: props.fresh.name })}</h2>
          <p>
            <Show when={props.fresh.previousUntil} fallback={t('onceIntro')}>
              {(until) => t('oncePrevious', { when: formatWhen(until()) })}
            </Show>
          </p>
        </div>
        <Secret
          label={t('onceLabel')}
          text={props.fresh.secret}
          file="parley.env"
          fileText={`PARLEY_KEY=${props.fresh.secret}\n`}
          onTaken={() => setTaken(true)}
        />
      </div>
      <IconButton name="x" label={tc('close')} onClick={close} />
      <Suspense>
        <Show when={asking()}>
          <Confirm
            title={t('onceLeave')}
            intro={t('onceLeaveWhy')}
            safe={t('onceStay')}
            go={t('onceGo')}
            onClose={() => setAsking(false)}
            onGo={() => setFreshSecret(null)}
          />
        </Show>
      </Suspense>
    </section>
  )
}
