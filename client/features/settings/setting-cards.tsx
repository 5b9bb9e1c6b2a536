/** The cards of the page, except kept requests and the environment. */
import { For, Show } from 'solid-js'
import { causes } from '#client/console/fallback-lines.ts'
import { AreaField, SwitchField, TextField, UnitField } from '#client/ui/console/form.tsx'
import { formatBytes, formatCount } from '#client/ui/format.ts'
import { changedMark, type Editing, SettingCard } from './editing.tsx'
import { causeLabels, FileFallbacks } from './file-fallbacks.tsx'
import { t } from './messages.ts'
import { draftOf, quotaNames } from './settings-draft.ts'

/** Models. */
export function ModelsCard(props: { editing: Editing }) {
  const { editing } = props
  return (
    <SettingCard section="models">
      <TextField
        label={t('moderation')}
        hint={`${t('moderationHint')} ${t('usual', { value: editing.row.defaults.moderationModel })}`}
        mono
        mark={changedMark(editing, 'moderationModel')}
        value={editing.draft.moderationModel}
        error={editing.wrong('moderationModel')}
        onChange={(moderationModel) => editing.set({ moderationModel })}
      />
    </SettingCard>
  )
}

/** Fallback models, those of the file first. */
export function FallbacksCard(props: { editing: Editing }) {
  const { editing } = props
  return (
    <SettingCard section="fallbacks" hint={t('fallbacksHint')}>
      <Show when={editing.row.managedByFile.fallbacks.length > 0}>
        <FileFallbacks row={editing.row} />
      </Show>
      <For each={causes}>
        {(cause) => (
          <AreaField
            label={t(causeLabels[cause])}
            hint={t('usual', { value: t('noneSet') })}
            mono
            rows={3}
            mark={changedMark(editing, 'fallbacks', draftOf(editing.row).fallbacks[cause] !== '')}
            value={editing.draft.fallbacks[cause]}
            error={editing.wrongLines(cause)}
            onChange={(text) => editing.set({ fallbacks: { ...editing.draft.fallbacks, [cause]: text } })}
          />
        )}
      </For>
    </SettingCard>
  )
}

/** How long usage rows are kept. */
export function KeepingCard(props: { editing: Editing }) {
  const { editing } = props
  return (
    <SettingCard section="keeping">
      <UnitField
        label={t('keepMonths')}
        hint={`${t('keepMonthsHint')} ${t('usual', { value: t('forEver') })}`}
        unit={t('months')}
        placeholder={t('forEver')}
        mark={changedMark(editing, 'keepLogsMonths')}
        value={editing.draft.keepLogsMonths}
        error={editing.wrong('keepLogsMonths')}
        onChange={(keepLogsMonths) => editing.set({ keepLogsMonths })}
      />
    </SettingCard>
  )
}

/** The banner for all signed-in users. */
export function BannerCard(props: { editing: Editing }) {
  const { editing } = props
  return (
    <SettingCard section="banner">
      <TextField
        label={t('bannerText')}
        hint={`${t('bannerHint')} ${t('usual', { value: t('noneSet') })}`}
        maxlength={500}
        mark={changedMark(editing, 'banner')}
        value={editing.draft.banner}
        error={editing.wrong('banner')}
        onChange={(banner) => editing.set({ banner })}
      />
    </SettingCard>
  )
}

/** Links to conversations. */
export function SharingCard(props: { editing: Editing }) {
  const { editing } = props
  return (
    <SettingCard section="sharing">
      <div class="switched" classList={{ changed: editing.row.changed.includes('shareLinks') }}>
        <SwitchField
          label={t('shareLinks')}
          hint={`${t('shareLinksHint')} ${t('usual', { value: t('off') })}`}
          on={editing.draft.shareLinks}
          onChange={(shareLinks) => editing.set({ shareLinks })}
        />
        {changedMark(editing, 'shareLinks')}
      </div>
    </SettingCard>
  )
}

/** A default as it is typed; of bytes, also as a size. */
const usualOf = (name: string, value: number): string =>
  name.endsWith('Bytes') ? `${formatCount(value)} (${formatBytes(value)})` : formatCount(value)

/** Quotas of each user. */
export function QuotasCard(props: { editing: Editing }) {
  const { editing } = props
  return (
    <SettingCard section="quotas" hint={t('quotasHint')}>
      <For each={quotaNames}>
        {(name) => (
          <Show when={editing.shows(`quotas.${name}`)}>
            <UnitField
              label={t(name)}
              hint={t('usual', { value: usualOf(name, editing.row.defaults.quotas[name]) })}
              unit={name.endsWith('Bytes') ? t('bytes') : ''}
              mark={changedMark(editing, `quotas.${name}`)}
              value={editing.draft.quotas[name]}
              error={editing.wrong(`quotas.${name}`)}
              onChange={(value) => editing.set({ quotas: { ...editing.draft.quotas, [name]: value } })}
            />
          </Show>
        )}
      </For>
    </SettingCard>
  )
}
