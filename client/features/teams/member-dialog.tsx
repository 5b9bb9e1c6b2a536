import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { FormDialog } from '#client/console/dialogs/form-dialog.tsx'
import { errorAt } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Fieldset, SelectField, TextField, UnitField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Confirm } from '#client/ui/dialog.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { MemberRow, TeamRow } from '#shared/console/team'
import { type TeamRole, teamRoles } from '#shared/ids'
import { capWindows, windowLabel } from './cap-windows.ts'
import { t } from './messages.ts'
import type { Rights } from './rights.ts'

/** Adds a member, changes a member's role and cap, or removes a member. */
export function MemberDialog(props: { team: TeamRow; rights: Rights; row?: MemberRow; onDone(): void; onClose(): void }) {
  const [user, setUser] = createSignal('')
  const [role, setRole] = createSignal<TeamRole>(props.row?.role ?? 'member')
  const [cap, setCap] = createSignal<Record<string, string>>({ ...props.row?.budget })
  const [removing, setRemoving] = createSignal(false)
  const write = createWrite()
  const path = () => `/api/teams/${encodeURIComponent(props.team.id)}/members`
  const own = () => `${path()}/${encodeURIComponent(props.row?.id ?? '')}`
  const submit = async () => {
    const budget = Object.fromEntries(Object.entries(cap()).filter(([, amount]) => amount.trim() !== ''))
    const fields = { role: role(), budget }
    const done = await write.run(async () => {
      const row = props.row
        ? await callApi<MemberRow>('PATCH', own(), fields)
        : await callApi<MemberRow>('POST', path(), { user: user().trim(), ...fields })
      showToast(props.row ? t('saved') : t('added', { name: row.name }))
    })
    if (done) props.onDone()
  }
  const remove = async () => {
    setRemoving(false)
    if (!(await write.run(() => callApi('DELETE', own())))) return
    showToast(t('memberGone', { name: props.row?.name ?? '' }))
    props.onDone()
  }
  const roles = () =>
    teamRoles
      .filter((one) => props.rights.canManageRole(one))
      .map((value) => ({ value, label: `${t(`role_${value}`)}: ${t(`role_${value}_note`)}` }))
  return (
    <FormDialog
      title={props.row ? t('editTitle', { name: props.row.name }) : t('addMember')}
      go={props.row ? tc('save') : t('addMember')}
      buttons={
        <Show when={props.row}>
          <Button look="bad ghost" onClick={() => setRemoving(true)}>
            {t('removeMember')}
          </Button>
        </Show>
      }
      write={write}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <Show when={!props.row}>
        <TextField
          label={t('user')}
          hint={t('userHint')}
          value={user()}
          required
          error={errorAt(write.error(), 'user')}
          onChange={setUser}
        />
      </Show>
      <SelectField
        label={t('role')}
        value={role()}
        options={roles()}
        error={errorAt(write.error(), 'role')}
        onChange={(value) => setRole(teamRoles.find((one) => one === value) ?? 'member')}
      />
      <Fieldset title={t('caps')} hint={t('capsHint')}>
        <div class="two">
          {capWindows.map((window) => (
            <UnitField
              label={windowLabel(window)}
              unit={t('usd')}
              value={cap()[window] ?? ''}
              error={errorAt(write.error(), `budget.${window}`)}
              onChange={(amount) => setCap({ ...cap(), [window]: amount })}
            />
          ))}
        </div>
      </Fieldset>
      <Show when={removing()}>
        <Confirm
          title={t('removeMemberTitle', { name: props.row?.name ?? '' })}
          intro={t('removeMemberIntro')}
          safe={tc('cancel')}
          go={t('removeMemberGo', { name: props.row?.name ?? '' })}
          onClose={() => setRemoving(false)}
          onGo={() => void remove()}
        />
      </Show>
    </FormDialog>
  )
}
