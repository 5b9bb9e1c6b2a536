import { createSignal, Show } from 'solid-js'
import { createLoad, readAll } from '#client/console/load.ts'
import { t } from '#client/features/channels/messages.ts'
import { namesOf } from '#client/features/channels/model-lines.ts'
import { Button } from '#client/ui/button.tsx'
import { ComboField } from '#client/ui/console/combo-field.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { Icon } from '#client/ui/icon.tsx'
import type { ChannelRow } from '#shared/console/channel'

/** The filter chip for channels that offer a model. */
export function ModelChip(props: { value: string; onChange(model: string): void }) {
  const [choosing, setChoosing] = createSignal(false)
  const models = createLoad(
    () => (choosing() ? '/api/channels' : undefined),
    async (path, signal) => {
      const rows = await readAll<ChannelRow>(path, signal)
      return [...new Set(rows.flatMap((row) => row.models.map((model) => namesOf(model).name)))].sort()
    },
  )
  return (
    <>
      <Show
        when={props.value !== ''}
        fallback={
          <button type="button" class="chip border-dashed" onClick={() => setChoosing(true)}>
            <Icon name="plus" small />
            {t('model')}
          </button>
        }
      >
        <button type="button" class="chip on" aria-label={`${t('model')} ${props.value}, ×`} onClick={() => props.onChange('')}>
          {t('model')} <b>{props.value}</b>
          <Icon name="x" small />
        </button>
      </Show>
      <Show when={choosing()}>
        <Dialog
          title={t('modelFilter')}
          onClose={() => setChoosing(false)}
          buttons={<Button onClick={() => setChoosing(false)}>{tc('cancel')}</Button>}
        >
          <ComboField
            label={t('model')}
            value=""
            options={models.value() ?? []}
            mono
            onChange={(model) => {
              if (model === '') return
              setChoosing(false)
              props.onChange(model)
            }}
          />
        </Dialog>
      </Show>
    </>
  )
}
