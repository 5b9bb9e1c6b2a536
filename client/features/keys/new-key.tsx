import { Show } from 'solid-js'
import { ShownOnce } from '#client/console/shown-once.tsx'
import { Secret } from '#client/ui/console/copy.tsx'
import { formatWhen } from '#client/ui/console/time.ts'
import { type FreshSecret, freshSecret, setFreshSecret } from './fresh-secret.ts'
import { t } from './messages.ts'

/** The key that was created or rotated last, in full, until closed. */
export function NewKey() {
  return (
    <Show when={freshSecret()}>
      {(fresh) => (
        <ShownOnce
          label={t('onceLabel')}
          title={t('onceTitle', { name: fresh().name })}
          why={whyOf(fresh())}
          leave={{ title: t('onceLeave'), intro: t('onceLeaveWhy'), safe: t('onceStay'), go: t('onceGo') }}
          onClose={() => setFreshSecret(null)}
        >
          {(onTaken) => (
            <Secret
              label={t('onceLabel')}
              text={fresh().secret}
              file="parley.env"
              fileText={`PARLEY_KEY=${fresh().secret}\n`}
              onTaken={onTaken}
            />
          )}
        </ShownOnce>
      )}
    </Show>
  )
}

const whyOf = ({ previousUntil }: FreshSecret) =>
  previousUntil === null ? t('onceIntro') : t('oncePrevious', { when: formatWhen(previousUntil) })
