import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { FormDialog } from '#client/console/dialogs/form-dialog.tsx'
import { errorAt } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { CheckList, SelectField, TextField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { type AlertForm, type AlertHookRow, alertForms } from '#shared/console/alert'
import { chosenKinds, draftOf, type HookDraft, hookPatchOf, newHookOf, signsItself } from './hook-draft.ts'
import { t } from './messages.ts'

/** A new destination: a webhook comes with its signing secret, once. */
export type MadeHook = AlertHookRow & { secret?: string }

const urlHints: Record<AlertForm, 'urlHook' | 'urlRobot' | 'urlMail'> = {
  ...{ http: 'urlHook', slack: 'urlHook', smtp: 'urlMail' },
  ...{ feishu: 'urlRobot', dingtalk: 'urlRobot', wecom: 'urlRobot' },
}

/** Adds an alert destination, or changes one. */
export function HookDialog(props: { row?: AlertHookRow; onDone(made?: MadeHook): void; onClose(): void }) {
  const [draft, setDraft] = createSignal(draftOf(props.row))
  const [noKind, setNoKind] = createSignal(false)
  const write = createWrite()
  const set = (change: Partial<HookDraft>) => setDraft({ ...draft(), ...change })
  const submit = async () => {
    setNoKind(!draft().all && draft().kinds.length === 0)
    if (noKind()) return
    await write.run(async () => {
      if (props.row) {
        await callApi('PATCH', `/api/alerts/hooks/${encodeURIComponent(props.row.id)}`, hookPatchOf(draft()))
        props.onDone()
      } else props.onDone(await callApi<MadeHook>('POST', '/api/alerts/hooks', newHookOf(draft())))
    })
  }
  const urlHint = () => [t(urlHints[draft().form]), props.row && t('urlKeep', { address: props.row.address })].filter(Boolean).join(' ')
  return (
    <FormDialog
      wide
      title={props.row ? t('changeTitle', { name: props.row.name }) : t('addTitle')}
      intro={t('formIntro')}
      go={props.row ? tc('save') : t('add')}
      write={write}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <div class="two">
        <TextField
          label={t('name')}
          required
          maxlength={120}
          value={draft().name}
          error={errorAt(write.error(), 'name')}
          onChange={(name) => set({ name })}
        />
        <SelectField
          label={t('form')}
          value={draft().form}
          disabled={props.row !== undefined}
          options={alertForms.map((value) => ({ value, label: t(`form_${value}`) }))}
          onChange={(form) => set({ form: form as AlertForm })}
        />
      </div>
      <TextField
        label={t('url')}
        hint={urlHint()}
        mono
        required={props.row === undefined}
        maxlength={2048}
        value={draft().url}
        error={errorAt(write.error(), 'url')}
        onChange={(url) => set({ url })}
      />
      <Show when={signsItself(draft().form)}>
        <TextField
          label={t('secret')}
          hint={t(props.row ? 'secretKeep' : 'secretHint')}
          mono
          maxlength={256}
          value={draft().secret}
          error={errorAt(write.error(), 'secret')}
          onChange={(secret) => set({ secret })}
        />
      </Show>
      <Show when={draft().form === 'smtp'}>
        <div class="two">
          <TextField
            label={t('from')}
            required
            maxlength={254}
            value={draft().from}
            error={errorAt(write.error(), 'from')}
            onChange={(from) => set({ from })}
          />
          <TextField
            label={t('to')}
            hint={t('toHint')}
            required
            value={draft().to}
            error={errorAt(write.error(), 'to')}
            onChange={(to) => set({ to })}
          />
        </div>
      </Show>
      <SelectField
        label={t('which')}
        value={draft().all ? 'all' : 'some'}
        options={[
          { value: 'all', label: t('whichAll') },
          { value: 'some', label: t('whichSome') },
        ]}
        onChange={(which) => set({ all: which === 'all' })}
      />
      <Show when={!draft().all}>
        <CheckList
          label={t('kinds')}
          options={chosenKinds.map((value) => ({ value, label: t(`kind_${value}`), note: t(`note_${value}`) }))}
          chosen={draft().kinds}
          onChange={(kinds) => set({ kinds })}
        />
      </Show>
      <Show when={noKind()}>
        <p class="notice bad">{t('noKind')}</p>
      </Show>
    </FormDialog>
  )
}
