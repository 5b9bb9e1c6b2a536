import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { FormDialog } from '#client/console/dialogs/form-dialog.tsx'
import { errorAt } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { Segments } from '#client/ui/console/filters.tsx'
import { TextField } from '#client/ui/console/form.tsx'
import type { KeyRow } from '#shared/console/key'
import { draftFor, fieldsOf, type Preset, presets } from './draft.ts'
import { setFreshSecret } from './fresh-secret.ts'
import { LimitFields, NameFields, UseFields } from './key-fields.tsx'
import { t } from './messages.ts'

/** Creates a key: a name and a preset are enough. `owner` is prefilled if an administrator came from a user's page. */
export function CreateDialog(props: { preset: Preset; owner: string; onPreset(preset: Preset): void; onMade(): void; onClose(): void }) {
  const { admin, user } = useSession()
  const [draft, setDraft] = createSignal(draftFor(props.preset))
  const [owner, setOwner] = createSignal(props.owner)
  const [open, setOpen] = createSignal(false)
  const write = createWrite()
  const choose = (preset: Preset) => {
    setDraft(draftFor(preset, draft()))
    props.onPreset(preset)
  }
  const submit = async () => {
    await write.run(async () => {
      const for_ = owner().trim() === '' || owner().trim() === user().name ? {} : { user: owner().trim() }
      const made = await callApi<KeyRow & { key: string }>('POST', '/api/keys', { ...fieldsOf(draft(), Date.now()), ...for_ })
      setFreshSecret({ id: made.id, name: made.name, secret: made.key, previousUntil: null })
      props.onMade()
    })
  }
  return (
    <FormDialog
      wide
      title={t('createTitle')}
      intro={t('createIntro')}
      go={t('create')}
      write={write}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <div class="field">
        <Segments
          label={t('preset')}
          value={props.preset}
          options={presets.map((value) => ({ value, label: t(`preset_${value}`) }))}
          onChange={choose}
        />
        <span class="hint">{t(`preset_${props.preset}_note`)}</span>
      </div>
      <NameFields draft={draft()} error={write.error()} onChange={setDraft} />
      <Show when={admin()}>
        <TextField
          label={t('owner')}
          hint={t('ownerHint')}
          placeholder={user().name}
          value={owner()}
          error={errorAt(write.error(), 'user')}
          onChange={setOwner}
        />
      </Show>
      <details open={open()} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="cursor-pointer text-[13px] font-medium">{t('more')}</summary>
        <div class="mt-4">
          <UseFields draft={draft()} error={write.error()} onChange={setDraft} />
          <LimitFields draft={draft()} error={write.error()} onChange={setDraft} />
        </div>
      </details>
    </FormDialog>
  )
}
