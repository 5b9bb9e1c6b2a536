/** Shared by the cards of the page: the form, the visible settings, and the origin of values. */
import type { JSX } from 'solid-js'
import type { Cause } from '#client/console/fallback-lines.ts'
import { Card } from '#client/ui/console/page.tsx'
import type { SettingsRow } from '#shared/console/settings'
import { t } from './messages.ts'
import { type Section, type SettingName, sectionLabels } from './setting-list.ts'
import type { SettingsDraft } from './settings-draft.ts'

/** The form that is being changed. */
export interface Editing {
  row: SettingsRow
  draft: SettingsDraft
  set(change: Partial<SettingsDraft>): void
  shows(name: SettingName): boolean
  /** The error of a field, after submitting. */
  wrong(field: string): string | undefined
  /** The error of the fallbacks of a cause. */
  wrongLines(cause: Cause): string | undefined
}

/** A mark beside a label if the value is not the default. `holds`: whether that applies to this field of the setting. */
export function changedMark({ row }: Editing, name: SettingName, holds = true): JSX.Element {
  return holds && row.changed.includes(name) ? <span class="bdg changed">{t('fromConsole')}</span> : undefined
}

/** A card of settings, a target of the side navigation. */
export function SettingCard(props: { section: Section; hint?: string; children: JSX.Element }) {
  return (
    <section id={`settings-${props.section}`}>
      <Card title={t(sectionLabels[props.section])} bare>
        {props.hint && <p class="hint px-4 pb-3">{props.hint}</p>}
        <div class="setting-rows" classList={{ 'border-t border-line': props.hint !== undefined }}>
          {props.children}
        </div>
      </Card>
    </section>
  )
}
