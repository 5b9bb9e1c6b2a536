import type { ApiError } from '#client/api/http.ts'
import { BoundsFields } from '#client/console/bounds-fields.tsx'
import { errorAt } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { CheckList, Fieldset, SelectField, TextField } from '#client/ui/console/form.tsx'
import type { GroupRow } from '#shared/console/group'
import { t } from './messages.ts'
import type { UserDraft } from './user-draft.ts'

/** The fields of a user. */
export function UserFields(props: {
  draft: UserDraft
  error: ApiError | undefined
  fresh?: boolean
  /** The consequence of changing the role. */
  roleHint?: string | undefined
  readonly?: boolean
  onChange(draft: UserDraft): void
}) {
  const groups = createLoad(
    () => '/api/groups?all=true',
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const names = () => [...new Set([...(groups.value() ?? []).map((group) => group.name), ...props.draft.groups])]
  const options = () => names().map((name) => ({ value: name, label: name }))
  const put = (change: Partial<UserDraft>) => props.onChange({ ...props.draft, ...change })
  return (
    <>
      <Fieldset title={t('general')}>
        <TextField
          label={t('name')}
          value={props.draft.name}
          required
          maxlength={120}
          readonly={props.readonly ?? false}
          error={errorAt(props.error, 'name')}
          onChange={(name) => put({ name })}
        />
        <div class="two">
          <SelectField
            label={t('role')}
            hint={props.roleHint}
            value={props.draft.role}
            disabled={props.readonly ?? false}
            options={(['user', 'admin'] as const).map((value) => ({ value, label: t(`role_${value}`) }))}
            error={errorAt(props.error, 'role')}
            onChange={(role) => put({ role: role === 'admin' ? 'admin' : 'user' })}
          />
          <TextField
            label={props.fresh ? t('password') : t('passwordNew')}
            hint={props.fresh ? t('passwordHint') : t('passwordNewHint')}
            type="password"
            autocomplete="new-password"
            value={props.draft.password}
            readonly={props.readonly ?? false}
            error={errorAt(props.error, 'password')}
            onChange={(password) => put({ password })}
          />
        </div>
        <SelectField
          label={t('group')}
          hint={t('groupHint')}
          value={props.draft.group}
          options={options()}
          disabled={props.readonly ?? false}
          error={errorAt(props.error, 'group')}
          onChange={(group) => put({ group })}
        />
        <CheckList
          label={t('mayUse')}
          options={options()}
          chosen={[...new Set([props.draft.group, ...props.draft.groups])]}
          readonly={props.readonly ?? false}
          onChange={(chosen) => put({ groups: chosen })}
        />
      </Fieldset>
      <BoundsFields
        value={props.draft.bounds}
        error={props.error}
        readonly={props.readonly ?? false}
        onChange={(bounds) => put({ bounds })}
      />
    </>
  )
}
