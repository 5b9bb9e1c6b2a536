import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { BoundsFields } from '#client/console/bounds-fields.tsx'
import { FormDialog } from '#client/console/dialogs/form-dialog.tsx'
import { errorAt } from '#client/console/explain.ts'
import { boundsOf, readBounds } from '#client/console/limits.ts'
import { createWrite } from '#client/console/write.ts'
import { SwitchField, TextField, UnitField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { TeamRow } from '#shared/console/team'
import { t } from './messages.ts'

const words = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/** Creates a team, or changes an administrator's settings of one. */
export function TeamDialog(props: { team?: TeamRow; onDone(row: TeamRow): void; onClose(): void }) {
  const [name, setName] = createSignal(props.team?.name ?? '')
  const [balance, setBalance] = createSignal('')
  const [groups, setGroups] = createSignal(usualFirst(props.team).join(', '))
  const [models, setModels] = createSignal(props.team?.models?.join(', ') ?? '')
  const [claim, setClaim] = createSignal(props.team?.claim ?? '')
  const [enabled, setEnabled] = createSignal(props.team?.enabled ?? true)
  const [bounds, setBounds] = createSignal(boundsOf(props.team))
  const write = createWrite()
  const submit = async () => {
    const [group, ...others] = words(groups())
    const fields = {
      name: name().trim(),
      ...(group !== undefined && { group, groups: [group, ...others] }),
      models: words(models()).length > 0 ? words(models()) : null,
      claim: claim().trim() === '' ? null : claim().trim(),
      ...readBounds(bounds()),
    }
    await write.run(async () => {
      const row = props.team
        ? await callApi<TeamRow>('PATCH', `/api/teams/${encodeURIComponent(props.team.id)}`, { ...fields, enabled: enabled() })
        : await callApi<TeamRow>('POST', '/api/teams', { ...fields, ...(balance().trim() !== '' && { balance: balance().trim() }) })
      showToast(t('saved'))
      props.onDone(row)
    })
  }
  return (
    <FormDialog
      wide
      title={props.team ? t('settingsTitle', { name: props.team.name }) : t('add')}
      intro={t('addIntro')}
      go={props.team ? tc('save') : t('create')}
      write={write}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <TextField label={t('name')} value={name()} required maxlength={120} error={errorAt(write.error(), 'name')} onChange={setName} />
      <Show when={!props.team}>
        <UnitField label={t('opening')} unit={t('usd')} value={balance()} error={errorAt(write.error(), 'balance')} onChange={setBalance} />
      </Show>
      <TextField
        label={t('groups')}
        hint={t('groupsHint')}
        value={groups()}
        error={errorAt(write.error(), 'group', 'groups')}
        onChange={setGroups}
      />
      <TextField
        label={t('models')}
        hint={t('modelsHint')}
        mono
        value={models()}
        error={errorAt(write.error(), 'models')}
        onChange={setModels}
      />
      <TextField label={t('claim')} hint={t('claimHint')} value={claim()} error={errorAt(write.error(), 'claim')} onChange={setClaim} />
      <BoundsFields value={bounds()} error={write.error()} onChange={setBounds} />
      <Show when={props.team}>
        <SwitchField label={t('enabled')} on={enabled()} onChange={setEnabled} />
      </Show>
    </FormDialog>
  )
}

const usualFirst = (team: TeamRow | undefined) => (team ? [team.group, ...team.groups.filter((name) => name !== team.group)] : [])
