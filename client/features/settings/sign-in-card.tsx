/** How people sign in. */
import { Show } from 'solid-js'
import { SelectField, SwitchField } from '#client/ui/console/form.tsx'
import { type SecondFactorRule, secondFactorRules } from '#shared/console/settings'
import { changedMark, type Editing, SettingCard } from './editing.tsx'
import { t } from './messages.ts'

/** Second factors. */
export function SignInCard(props: { editing: Editing }) {
  const { editing } = props
  return (
    <SettingCard section="signIn">
      <Show when={editing.shows('requireSecondFactor')}>
        <SelectField
          label={t('requireSecondFactor')}
          hint={`${t('requireSecondFactorHint')} ${t('usual', { value: t('requireSecondFactor_off') })}`}
          mark={changedMark(editing, 'requireSecondFactor')}
          value={editing.draft.requireSecondFactor}
          options={secondFactorRules.map((value) => ({ value, label: t(`requireSecondFactor_${value}`) }))}
          error={editing.wrong('requireSecondFactor')}
          onChange={(value) => editing.set({ requireSecondFactor: value as SecondFactorRule })}
        />
      </Show>
      <Show when={editing.shows('secondFactorAfterProvider')}>
        <div class="switched" classList={{ changed: editing.row.changed.includes('secondFactorAfterProvider') }}>
          <SwitchField
            label={t('secondFactorAfterProvider')}
            hint={`${t('secondFactorAfterProviderHint')} ${t('usual', { value: t('off') })}`}
            on={editing.draft.secondFactorAfterProvider}
            onChange={(secondFactorAfterProvider) => editing.set({ secondFactorAfterProvider })}
          />
          {changedMark(editing, 'secondFactorAfterProvider')}
        </div>
      </Show>
    </SettingCard>
  )
}
