/** The order of channels, and whether resting ones are checked automatically. */
import { Show } from 'solid-js'
import { SelectField, UnitField } from '#client/ui/console/form.tsx'
import { FileBadge } from '#client/ui/console/status.tsx'
import { balancingModes } from '#shared/console/settings'
import { changedMark, type Editing, SettingCard } from './editing.tsx'
import { t } from './messages.ts'

/** The card. */
export function RoutingCard(props: { editing: Editing }) {
  const { editing } = props
  const ofFile = (name: 'balancing' | 'checkMinutes') => editing.row.managedByFile.routing.includes(name)
  const markOf = (name: 'balancing' | 'checkMinutes') => (ofFile(name) ? <FileBadge /> : changedMark(editing, name))
  return (
    <SettingCard section="routing">
      <Show when={editing.shows('balancing')}>
        <SelectField
          label={t('balancing')}
          hint={`${t('balancingHint')} ${t('usual', { value: t('balancing_weight') })}`}
          mark={markOf('balancing')}
          disabled={ofFile('balancing')}
          value={editing.draft.balancing}
          options={balancingModes.map((value) => ({ value, label: t(`balancing_${value}`) }))}
          error={editing.wrong('balancing')}
          onChange={(value) => editing.set({ balancing: balancingModes.find((mode) => mode === value) ?? 'weight' })}
        />
      </Show>
      <Show when={editing.shows('checkMinutes')}>
        <UnitField
          label={t('checkMinutes')}
          hint={`${t('checkMinutesHint')} ${t('usual', { value: t('never') })}`}
          unit={t('minutes')}
          placeholder={t('never')}
          mark={markOf('checkMinutes')}
          readonly={ofFile('checkMinutes')}
          value={editing.draft.checkMinutes}
          error={editing.wrong('checkMinutes')}
          onChange={(checkMinutes) => editing.set({ checkMinutes })}
        />
      </Show>
    </SettingCard>
  )
}
