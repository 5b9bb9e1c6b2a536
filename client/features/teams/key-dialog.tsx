import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { errorAt } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Secret } from '#client/ui/console/copy.tsx'
import { TextField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Refusal } from '#client/ui/console/states.tsx'
import { Dialog } from '#client/ui/dialog.tsx'
import type { KeyRow } from '#shared/console/key'
import type { TeamRow } from '#shared/console/team'
import { t } from './messages.ts'
import type { Rights } from './rights.ts'

/** Creates a key paid by the team, and shows it once. Other settings are on the key's own page. */
export function KeyDialog(props: { team: TeamRow; rights: Rights; onMade(): void; onClose(): void }) {
  const [name, setName] = createSignal('')
  const [user, setUser] = createSignal('')
  const [models, setModels] = createSignal('')
  const [made, setMade] = createSignal<(KeyRow & { key: string }) | null>(null)
  const write = createWrite()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const listed = models()
      .split(/[\s,]+/)
      .filter(Boolean)
    await write.run(async () => {
      const fields = {
        name: name().trim(),
        team: props.team.id,
        ...(user().trim() !== '' && { user: user().trim() }),
        ...(listed.length > 0 && { models: listed }),
      }
      setMade(await callApi<KeyRow & { key: string }>('POST', '/api/keys', fields))
      props.onMade()
    })
  }
  return (
    <Dialog
      title={t('newKey')}
      onClose={props.onClose}
      buttons={
        <Show when={!made()} fallback={<Button onClick={() => props.onClose()}>{t('done')}</Button>}>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="team-key" look="primary" busy={write.busy()}>
            {t('createKey')}
          </Button>
        </Show>
      }
    >
      <Show
        when={made()}
        fallback={
          <form id="team-key" class="form" onSubmit={(event) => void submit(event)}>
            <TextField
              label={t('keyName')}
              value={name()}
              required
              maxlength={120}
              error={errorAt(write.error(), 'name')}
              onChange={setName}
            />
            <Show when={props.rights.canManage}>
              <TextField
                label={t('keyFor')}
                hint={t('keyForHint')}
                value={user()}
                error={errorAt(write.error(), 'user')}
                onChange={setUser}
              />
            </Show>
            <TextField
              label={t('models')}
              hint={t('modelsHint')}
              mono
              value={models()}
              error={errorAt(write.error(), 'models')}
              onChange={setModels}
            />
            <Refusal of={write} />
          </form>
        }
      >
        {(row) => (
          <div class="stack">
            <p class="text-[13px] text-ink-2">{t('keyOnce', { name: row().name })}</p>
            <Secret label={t('key')} text={row().key} file="parley.env" fileText={`PARLEY_KEY=${row().key}\n`} onTaken={() => undefined} />
          </div>
        )}
      </Show>
    </Dialog>
  )
}
