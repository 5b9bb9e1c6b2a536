import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { FormDialog } from '#client/console/dialogs/form-dialog.tsx'
import { errorAt } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { SelectField, TextField, UnitField } from '#client/ui/console/form.tsx'
import type { PlanRow } from '#shared/console/selling'
import type { MadeCode } from './codes-file.ts'
import { t } from './messages.ts'
import { endOfDay } from './windows.ts'

/** Creates a batch of codes. */
export function CodesDialog(props: { plans: readonly PlanRow[]; onDone(codes: readonly MadeCode[]): void; onClose(): void }) {
  const [count, setCount] = createSignal('10')
  const [value, setValue] = createSignal('')
  const [plan, setPlan] = createSignal('')
  const [days, setDays] = createSignal('30')
  const [expires, setExpires] = createSignal('')
  const [user, setUser] = createSignal('')
  const [group, setGroup] = createSignal('')
  const [note, setNote] = createSignal('')
  const write = createWrite()
  const submit = () =>
    write.run(async () => {
      const { codes } = await callApi<{ codes: MadeCode[] }>('POST', '/api/codes', {
        count: Number(count()),
        ...(value().trim() !== '' && { value: value().trim() }),
        ...(plan() !== '' && { plan: plan(), days: Number(days()) }),
        ...(expires() !== '' && { expiresAt: endOfDay(expires()) }),
        ...(user().trim() !== '' && { user: user().trim() }),
        ...(group().trim() !== '' && { group: group().trim() }),
        ...(note().trim() !== '' && { note: note().trim() }),
      })
      props.onDone(codes)
    })
  const wrong = (field: string) => errorAt(write.error(), field)
  return (
    <FormDialog title={t('newCodes')} intro={t('codesIntro')} go={t('make')} write={write} onSubmit={submit} onClose={props.onClose}>
      <div class="two">
        <TextField label={t('count')} value={count()} required maxlength={4} error={wrong('count')} onChange={setCount} />
        <UnitField label={t('value')} unit={t('usd')} value={value()} error={wrong('value')} onChange={setValue} />
      </div>
      <div class="two">
        <SelectField
          label={t('plan')}
          value={plan()}
          options={[
            { value: '', label: t('noPlan') },
            ...props.plans.filter((one) => one.enabled).map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onChange={setPlan}
        />
        <Show when={plan() !== ''}>
          <TextField label={t('forDays')} value={days()} required maxlength={4} error={wrong('days')} onChange={setDays} />
        </Show>
      </div>
      <TextField label={t('expires')} type="date" value={expires()} error={wrong('expiresAt')} onChange={setExpires} />
      <div class="two">
        <TextField label={t('only')} hint={t('onlyHint')} value={user()} error={wrong('user')} onChange={setUser} />
        <TextField label={t('onlyGroup')} hint={t('onlyGroupHint')} value={group()} error={wrong('group')} onChange={setGroup} />
      </div>
      <TextField label={t('note')} hint={t('noteHint')} value={note()} maxlength={200} error={wrong('note')} onChange={setNote} />
    </FormDialog>
  )
}
