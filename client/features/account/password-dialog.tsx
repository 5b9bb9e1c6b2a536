import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { explain } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { TextField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { showToast } from '#client/ui/toast.tsx'
import { t } from './messages.ts'

/** Changes the user's own password, which ends all other sessions. */
export function PasswordDialog(props: { onClose(): void }) {
  const { user } = useSession()
  const [old, setOld] = createSignal('')
  const [fresh, setFresh] = createSignal('')
  const write = createWrite()
  const code = () => write.error()?.code
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (!(await write.run(() => callApi('PATCH', '/api/session/password', { old: old(), new: fresh() })))) return
    showToast(t('changed'))
    props.onClose()
  }
  const other = () => {
    const error = write.error()
    return error && !['invalid_credentials', 'weak_password'].includes(error.code) && error.param !== 'new' ? explain(error) : undefined
  }
  return (
    <Dialog
      title={t('change')}
      intro={t('passwordWhy')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="own-password" look="primary" busy={write.busy()}>
            {t('change')}
          </Button>
        </>
      }
    >
      <form id="own-password" class="form" onSubmit={(event) => void submit(event)}>
        {/* Lets password managers associate the password with the user. */}
        <input hidden type="text" autocomplete="username" readonly value={user().name} />
        <TextField
          label={t('old')}
          type="password"
          autocomplete="current-password"
          required
          value={old()}
          error={code() === 'invalid_credentials' ? t('wrongOld') : undefined}
          onChange={setOld}
        />
        <TextField
          label={t('fresh')}
          hint={t('freshHint')}
          type="password"
          autocomplete="new-password"
          required
          value={fresh()}
          error={code() === 'weak_password' ? t('weak') : write.error()?.param === 'new' ? explain(write.error() as never) : undefined}
          onChange={setFresh}
        />
        <Show when={other()}>{(text) => <p class="notice bad">{text()}</p>}</Show>
      </form>
    </Dialog>
  )
}
