import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { FormDialog } from '#client/console/dialogs/form-dialog.tsx'
import { errorAt } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { AreaField, SwitchField, TextField } from '#client/ui/console/form.tsx'
import type { PlanRow } from '#shared/console/selling'
import { t } from './messages.ts'
import { readWindows, windowLines } from './windows.ts'

/** Creates a plan, or changes one. */
export function PlanDialog(props: { row?: PlanRow; onDone(): void; onClose(): void }) {
  const [name, setName] = createSignal(props.row?.name ?? '')
  const [group, setGroup] = createSignal(props.row?.group ?? '')
  const [windows, setWindows] = createSignal(windowLines(props.row?.windows ?? []))
  const [enabled, setEnabled] = createSignal(props.row?.enabled ?? true)
  const write = createWrite()
  const submit = () =>
    write.run(async () => {
      const fields = { name: name().trim(), group: group().trim() === '' ? null : group().trim(), windows: readWindows(windows()) }
      if (props.row) await callApi('PATCH', `/api/plans/${encodeURIComponent(props.row.id)}`, { ...fields, enabled: enabled() })
      else await callApi('POST', '/api/plans', fields)
      props.onDone()
    })
  return (
    <FormDialog
      title={props.row ? t('editPlan', { name: props.row.name }) : t('newPlan')}
      intro={t('planIntro')}
      go={props.row ? t('edit') : t('create')}
      write={write}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <TextField label={t('name')} value={name()} required maxlength={120} error={errorAt(write.error(), 'name')} onChange={setName} />
      <TextField label={t('group')} hint={t('groupHint')} value={group()} error={errorAt(write.error(), 'group')} onChange={setGroup} />
      <AreaField
        label={t('windows')}
        hint={t('windowsHint')}
        mono
        value={windows()}
        error={errorAt(write.error(), 'windows')}
        onChange={setWindows}
      />
      <Show when={props.row}>
        <SwitchField label={t('enabled')} on={enabled()} onChange={setEnabled} />
      </Show>
    </FormDialog>
  )
}
