import { createSignal } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { FormDialog } from '#client/console/dialogs/form-dialog.tsx'
import { errorAt } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { SelectField, TextField } from '#client/ui/console/form.tsx'
import type { PlanRow } from '#shared/console/selling'
import { t } from './messages.ts'
import { dateIn, endOfDay } from './windows.ts'

/** Assigns a plan to a user or a team. */
export function GiveDialog(props: { plan: PlanRow; onDone(name: string): void; onClose(): void }) {
  const [of, setOf] = createSignal('user')
  const [whom, setWhom] = createSignal('')
  const [until, setUntil] = createSignal(dateIn(30))
  const write = createWrite()
  const submit = () =>
    write.run(async () => {
      const path = `/api/${of()}s/${encodeURIComponent(whom().trim())}/plan`
      await callApi('PUT', path, { plan: props.plan.id, until: endOfDay(until()) })
      props.onDone(whom().trim())
    })
  return (
    <FormDialog
      title={t('giveOf', { name: props.plan.name })}
      intro={t('giveIntro')}
      go={t('giveGo')}
      write={write}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <SelectField
        label={t('to')}
        value={of()}
        options={[
          { value: 'user', label: t('toUser') },
          { value: 'team', label: t('toTeam') },
        ]}
        onChange={setOf}
      />
      <TextField label={t('whom')} value={whom()} required maxlength={120} onChange={setWhom} />
      <TextField label={t('until')} type="date" required value={until()} error={errorAt(write.error(), 'until')} onChange={setUntil} />
    </FormDialog>
  )
}
