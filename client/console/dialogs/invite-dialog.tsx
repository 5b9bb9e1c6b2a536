import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { errorAt } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { ts } from '#client/console/messages.ts'
import { createWrite } from '#client/console/write.ts'
import { SelectField, TextField, UnitField } from '#client/ui/console/form.tsx'
import type { GroupRow } from '#shared/console/group'
import type { InvitationRow, NewInvitation } from '#shared/console/user'
import { type Role, roles, type TeamRole } from '#shared/ids'
import { FormDialog } from './form-dialog.tsx'

/** Days for which a link can be valid. */
const days = ['1', '7', '30', '90'] as const

/** Creates an invitation: to the server with role and group, or to a team with the roles that the user may grant. */
export function InviteDialog(props: {
  team?: { id: string; name: string }
  teamRoles?: readonly TeamRole[]
  onMade(row: InvitationRow & { link: string }): void
  onClose(): void
}) {
  const groups = createLoad(
    () => (props.team ? undefined : '/api/groups?all=true'),
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const [role, setRole] = createSignal<Role>('user')
  const [group, setGroup] = createSignal('default')
  const [teamRole, setTeamRole] = createSignal<TeamRole>('member')
  const [uses, setUses] = createSignal('1')
  const [until, setUntil] = createSignal('7')
  const [note, setNote] = createSignal('')
  const write = createWrite()
  const submit = async () => {
    const invitation: NewInvitation = {
      ...(props.team ? { team: props.team.id, teamRole: teamRole() } : { role: role(), group: group() }),
      ...(note().trim() !== '' && { note: note().trim() }),
      uses: Number(uses()),
      days: Number(until()),
    }
    await write.run(async () => props.onMade(await callApi('POST', '/api/invitations', invitation)))
  }
  return (
    <FormDialog
      title={props.team ? ts('inviteToTeam', { name: props.team.name }) : ts('invite')}
      intro={ts('inviteIntro')}
      go={ts('inviteMake')}
      write={write}
      onSubmit={submit}
      onClose={props.onClose}
    >
      <Show
        when={props.team}
        fallback={
          <>
            <SelectField
              label={ts('inviteRole')}
              value={role()}
              options={roles.map((value) => ({ value, label: ts(`invite_${value}`) }))}
              onChange={(value) => setRole(value === 'admin' ? 'admin' : 'user')}
            />
            <SelectField
              label={ts('inviteGroup')}
              value={group()}
              options={(groups.value() ?? [{ name: 'default' }]).map(({ name }) => ({ value: name, label: name }))}
              error={errorAt(write.error(), 'group')}
              onChange={setGroup}
            />
          </>
        }
      >
        <SelectField
          label={ts('inviteRole')}
          value={teamRole()}
          options={(props.teamRoles ?? ['member']).map((value) => ({ value, label: ts(`invite_${value}`) }))}
          onChange={(value) => setTeamRole(value as TeamRole)}
        />
      </Show>
      <UnitField
        label={ts('inviteMost')}
        unit={ts('invitePeople')}
        value={uses()}
        error={errorAt(write.error(), 'uses')}
        onChange={setUses}
      />
      <SelectField
        label={ts('inviteUntil')}
        value={until()}
        options={days.map((value) => ({ value, label: ts('inviteDays', { count: Number(value) }) }))}
        onChange={setUntil}
      />
      <TextField label={ts('inviteNote')} hint={ts('inviteNoteHint')} maxlength={200} value={note()} onChange={setNote} />
    </FormDialog>
  )
}
