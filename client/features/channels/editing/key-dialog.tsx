import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { FormDialog } from '#client/console/dialogs/form-dialog.tsx'
import { errorAt } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { TextField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Confirm } from '#client/ui/dialog.tsx'
import { Switch as Toggle } from '#client/ui/switch.tsx'
import type { ChannelRow } from '#shared/console/channel'
import { t } from './messages.ts'

/** One key of a channel: name, weight, and whether it is used. Saved at once, independently of the form. */
export function KeyDialog(props: { channel: string; row: ChannelRow['keys'][number]; onSaved(row: ChannelRow): void; onClose(): void }) {
  const [name, setName] = createSignal(props.row.name)
  const [weight, setWeight] = createSignal(String(props.row.weight))
  const [enabled, setEnabled] = createSignal(props.row.enabled)
  const [removing, setRemoving] = createSignal(false)
  const write = createWrite()
  const remove = () =>
    write.run(async () => {
      const fields = { removeKeys: [props.row.id] }
      props.onSaved(await callApi<ChannelRow>('PATCH', `/api/channels/${encodeURIComponent(props.channel)}`, fields))
    })
  const submit = async () => {
    const path = `/api/channels/${encodeURIComponent(props.channel)}/keys/${encodeURIComponent(props.row.id)}`
    const fields = { name: name().trim(), weight: Number(weight()), enabled: enabled() }
    await write.run(async () => props.onSaved(await callApi<ChannelRow>('PATCH', path, fields)))
  }
  return (
    <FormDialog
      title={t('keyTitle', { name: props.row.name })}
      intro={t('keyIntro')}
      go={tc('save')}
      buttons={
        <Button look="bad ghost" class="mr-auto" onClick={() => setRemoving(true)}>
          {t('keyRemove')}
        </Button>
      }
      write={write}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <div class="two">
        <TextField label={t('name')} value={name()} required maxlength={120} error={errorAt(write.error(), 'name')} onChange={setName} />
        <TextField
          label={t('weight')}
          hint={t('keyWeightHint')}
          value={weight()}
          required
          error={errorAt(write.error(), 'weight')}
          onChange={setWeight}
        />
      </div>
      <span class="flex items-center gap-3 text-[13px]">
        <Toggle label={t('keyUsed')} on={enabled()} onChange={setEnabled} />
        {t('keyUsed')}
      </span>
      <Show when={removing()}>
        <Confirm
          title={t('keyRemoveTitle', { name: props.row.name })}
          intro={t('keyRemoveIntro')}
          safe={tc('cancel')}
          go={t('keyRemove')}
          onClose={() => setRemoving(false)}
          onGo={() => {
            setRemoving(false)
            void remove()
          }}
        />
      </Show>
    </FormDialog>
  )
}
