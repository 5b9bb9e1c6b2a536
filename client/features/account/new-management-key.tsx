import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { FormDialog } from '#client/console/dialogs/form-dialog.tsx'
import { errorAt } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { CheckList, SelectField, TextField } from '#client/ui/console/form.tsx'
import { type ManagementKeyRow, type Scope, scopes } from '#shared/console/management-key'
import { t } from './messages.ts'

/** Days until it expires; empty for never. */
const ends = ['30', '90', '365', ''] as const
const dayMs = 86_400_000
/** Scopes that are useful without being an administrator. */
const ofUsers: readonly Scope[] = ['read', 'usage', 'keys', 'bodies']

/** Creates a management key: name, scopes and expiry. */
export function NewManagementKeyDialog(props: { onMade(row: ManagementKeyRow & { key: string }): void; onClose(): void }) {
  const { admin } = useSession()
  const [name, setName] = createSignal('')
  const [chosen, setChosen] = createSignal<string[]>(['read'])
  const [days, setDays] = createSignal('90')
  const [missing, setMissing] = createSignal(false)
  const write = createWrite()
  const submit = async () => {
    setMissing(chosen().length === 0)
    if (missing()) return
    const expiresAt = days() === '' ? null : new Date(Date.now() + Number(days()) * dayMs).toISOString()
    await write.run(async () =>
      props.onMade(await callApi('POST', '/api/management-keys', { name: name().trim(), scopes: chosen(), expiresAt })),
    )
  }
  const offered = () => (admin() ? scopes : ofUsers)
  return (
    <FormDialog wide title={t('mkTitle')} intro={t('mkIntro')} go={t('mkCreate')} write={write} onSubmit={submit} onClose={props.onClose}>
      <TextField
        label={t('mkName')}
        hint={t('mkNameHint')}
        required
        maxlength={64}
        value={name()}
        error={errorAt(write.error(), 'name')}
        onChange={setName}
      />
      <CheckList
        label={t('mkMay')}
        hint={t('mkMayHint')}
        options={offered().map((scope) => ({ value: scope, label: t(`scope_${scope}`), note: t(`scope_${scope}_note`) }))}
        chosen={chosen()}
        onChange={setChosen}
      />
      <SelectField
        label={t('mkExpires')}
        value={days()}
        options={ends.map((value) => ({ value, label: value === '' ? t('mkNever') : t('mkDays', { count: Number(value) }) }))}
        error={errorAt(write.error(), 'expiresAt')}
        onChange={setDays}
      />
      <Show when={missing()}>
        <p class="notice bad">{t('mkNoScope')}</p>
      </Show>
    </FormDialog>
  )
}
