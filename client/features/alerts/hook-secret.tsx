import { ShownOnce } from '#client/console/shown-once.tsx'
import { Secret } from '#client/ui/console/copy.tsx'
import { t } from './messages.ts'

/** The secret of a new webhook. */
export function HookSecret(props: { name: string; secret: string; onClose(): void }) {
  return (
    <ShownOnce
      class="mb-4"
      label={t('onceLabel')}
      title={t('onceTitle', { name: props.name })}
      why={t('onceWhy')}
      leave={{ title: t('onceLeave'), intro: t('onceLeaveWhy'), safe: t('onceStay'), go: t('onceGo') }}
      onClose={props.onClose}
    >
      {(onTaken) => (
        <Secret
          label={t('onceLabel')}
          text={props.secret}
          file="parley-webhook.env"
          fileText={`PARLEY_WEBHOOK_SECRET=${props.secret}\n`}
          onTaken={onTaken}
        />
      )}
    </ShownOnce>
  )
}
