import { createSignal } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { FormDialog } from '#client/console/dialogs/form-dialog.tsx'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { TextField, UnitField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Refusal } from '#client/ui/console/states.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { AccountRow } from '#shared/console/user'
import { t } from './messages.ts'
import { draftOf, fieldsOf } from './user-draft.ts'
import { UserFields } from './user-fields.tsx'

/** Adds a user. */
export function AddUserDialog(props: { onDone(row: AccountRow): void; onClose(): void }) {
  const [draft, setDraft] = createSignal(draftOf())
  const [opening, setOpening] = createSignal('')
  const write = createWrite()
  const submit = async () => {
    await write.run(async () => {
      const balance = opening().trim() === '' ? {} : { balance: opening().trim() }
      const row = await callApi<AccountRow>('POST', '/api/users', { ...fieldsOf(draft()), ...balance })
      showToast(t('added', { name: row.name }))
      props.onDone(row)
    })
  }
  return (
    <FormDialog wide title={t('addTitle')} intro={t('addIntro')} go={t('add')} write={write} onSubmit={submit} onClose={props.onClose}>
      <UserFields draft={draft()} error={write.error()} fresh onChange={setDraft} />
      <UnitField label={t('opening')} unit={t('usd')} value={opening()} onChange={setOpening} />
    </FormDialog>
  )
}

/** Deletes a user, after their name was typed. */
export function RemoveUserDialog(props: { row: AccountRow; onDone(): void; onClose(): void }) {
  const [typed, setTyped] = createSignal('')
  const write = createWrite()
  const allowed = () => typed().trim() === props.row.name
  const go = async () => {
    if (!allowed() || !(await write.run(() => callApi('DELETE', `/api/users/${encodeURIComponent(props.row.id)}`)))) return
    showToast(t('removed', { name: props.row.name }))
    props.onDone()
  }
  return (
    <Dialog
      title={t('removeTitle', { name: props.row.name })}
      intro={t('removeIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button look="bad primary" busy={write.busy()} aria-disabled={allowed() ? undefined : 'true'} onClick={() => void go()}>
            {t('removeGo', { name: props.row.name })}
          </Button>
        </>
      }
    >
      <div class="stack">
        <TextField label={t('removeType')} value={typed()} onChange={setTyped} />
        <Refusal of={write} />
      </div>
    </Dialog>
  )
}
