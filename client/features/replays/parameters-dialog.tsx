/** What differs from the original request: fields of its body, and the channel. */
import { createSignal, Show } from 'solid-js'
import { useSession } from '#client/api/session.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { ComboField } from '#client/ui/console/combo-field.tsx'
import { SwitchField, TextField } from '#client/ui/console/form.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import type { ChannelRow } from '#shared/console/channel'
import type { ReplayTarget } from '#shared/console/replay'
import { t } from './messages.ts'

/** The typed fields; undefined unless a JSON object. */
function fieldsOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  try {
    const fields: unknown = JSON.parse(text)
    return typeof fields === 'object' && fields !== null && !Array.isArray(fields) ? (fields as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const namesOf = (text: string) => [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '')

/** `onChange` gets a target without a model. */
export function ParametersDialog(props: { target: ReplayTarget; onChange(parameters: ReplayTarget): void; onClose(): void }) {
  const { admin } = useSession()
  const [channel, setChannel] = createSignal(props.target.channel ?? '')
  const [isSame, setSame] = createSignal(props.target.sameChannel ?? false)
  const [fields, setFields] = createSignal(props.target.set ? JSON.stringify(props.target.set) : '')
  const [removed, setRemoved] = createSignal(props.target.remove?.join(', ') ?? '')
  const channels = createLoad(
    () => (admin() && !isSame() ? '/api/channels' : undefined),
    async (path, signal) => (await readAll<ChannelRow>(path, signal)).map(({ name }) => name).sort(),
  )
  const apply = () => {
    const set = fieldsOf(fields())
    if (!set) return
    const remove = namesOf(removed())
    props.onChange({
      ...(isSame() && { sameChannel: true }),
      ...(!isSame() && channel().trim() !== '' && { channel: channel().trim() }),
      ...(Object.keys(set).length > 0 && { set }),
      ...(remove.length > 0 && { remove }),
    })
  }
  return (
    <Dialog
      title={t('parameters')}
      intro={t('parametersIntro')}
      onClose={() => props.onClose()}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{t('cancel')}</Button>
          <Button look="primary" aria-disabled={fieldsOf(fields()) ? undefined : 'true'} onClick={apply}>
            {t('apply')}
          </Button>
        </>
      }
    >
      <div class="form">
        <TextField
          label={t('fields')}
          hint={t('fieldsHint')}
          mono
          error={fieldsOf(fields()) ? undefined : t('fieldsWrong')}
          value={fields()}
          onChange={setFields}
        />
        <TextField label={t('removedFields')} hint={t('removedFieldsHint')} mono value={removed()} onChange={setRemoved} />
        <SwitchField label={t('onlySame')} on={isSame()} onChange={setSame} />
        <Show when={admin() && !isSame()}>
          <ComboField
            label={t('channel')}
            hint={t('channelHint')}
            value={channel()}
            options={channels.value() ?? []}
            onChange={setChannel}
          />
        </Show>
      </div>
    </Dialog>
  )
}
