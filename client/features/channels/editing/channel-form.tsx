/** The settings of a channel in three tabs with one save bar; edits survive switching tabs. */

import { type Accessor, createEffect, createSignal, type JSX, on, Show, untrack } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { errorAt } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { isDemo } from '#client/console/vendors.ts'
import { createWrite } from '#client/console/write.ts'
import { SaveBar } from '#client/ui/console/save-bar.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelPatch, ChannelRow, HealthRow } from '#shared/console/channel'
import type { ManagedGroupRow } from '#shared/console/group'
import { AdvancedFields } from './advanced-fields.tsx'
import { ConnectionFields } from './connection-fields.tsx'
import { CostsFields } from './costs-fields.tsx'
import type { Fields } from './fields.ts'
import { t } from './messages.ts'
import { reviewLine } from './review.ts'
import { type ChannelSettings, changedFields, paramOf, patchFor, settingsOf } from './settings-draft.ts'

/** The tabs of the form. */
export const formTabs = ['connection', 'costs', 'advanced'] as const
export type FormTab = (typeof formTabs)[number]

/** The form; shows only the save bar while another tab is open. */
export function ChannelForm(props: {
  row: ChannelRow
  tab: FormTab | undefined
  rests: readonly HealthRow[]
  /** Content beside the connection tab. `groups`: all groups with their contents; undefined until loaded. */
  beside(groups: Accessor<readonly ManagedGroupRow[] | undefined>): JSX.Element
  onSaved(row: ChannelRow): void
}) {
  const [form, setForm] = createSignal<ChannelSettings>(settingsOf(props.row))
  const [unparsed, setUnparsed] = createSignal('')
  const write = createWrite()
  const groups = createLoad(
    () => '/api/groups?all=true',
    (path, signal) => readAll<ManagedGroupRow>(path, signal),
  )
  createEffect(
    on(
      () => props.row,
      // A key that was changed in its own dialog keeps the form's edits.
      (row, before) => {
        if (before === undefined || changedFields(settingsOf(before), settingsOf(row)).length > 0) setForm(settingsOf(row))
      },
      { defer: true },
    ),
  )
  const readonly = () => props.row.managed === 'file'
  const changes = () => (readonly() ? [] : changedFields(settingsOf(props.row), form()))
  const fields = (): Fields => ({
    form: form(),
    readonly: readonly(),
    wrong: (name) => (unparsed() === name ? t('badJson') : errorAt(write.error(), paramOf(name), ...(name === 'keys' ? ['addKeys'] : []))),
    onChange: (part) => setForm({ ...form(), ...part }),
  })
  const save = async () => {
    setUnparsed('')
    let patch: ChannelPatch
    try {
      patch = patchFor(form(), changes())
    } catch (thrown) {
      setUnparsed((thrown as SyntaxError).message)
      return
    }
    const done = await write.run(async () => {
      props.onSaved(await callApi<ChannelRow>('PATCH', `/api/channels/${encodeURIComponent(props.row.id)}`, patch))
    })
    if (done) showToast(t('saved'))
  }
  return (
    <>
      <Show when={readonly() && props.tab}>
        <p class="notice mb-4">{t(isDemo(props.row) ? 'managedDemo' : 'managed')}</p>
      </Show>
      <form
        hidden={props.tab === undefined}
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <div class="cols aside" hidden={props.tab !== 'connection'}>
          <div class="form">
            <ConnectionFields {...fields()} row={props.row} rests={props.rests} groups={groups.value() ?? []} onSaved={props.onSaved} />
          </div>
          <Show when={props.tab === 'connection'}>{untrack(() => props.beside(groups.value))}</Show>
        </div>
        <Show when={props.tab === 'costs'}>
          <CostsFields {...fields()} row={props.row} />
        </Show>
        <div class="form" hidden={props.tab !== 'advanced'}>
          <AdvancedFields {...fields()} />
        </div>
      </form>
      <SaveBar
        changes={changes().map((name) => t(name))}
        review={() => changes().map((name) => reviewLine(name, settingsOf(props.row), form()))}
        tabsKeep
        busy={write.busy()}
        error={write.unshown()}
        onSave={() => void save()}
        onDiscard={() => {
          write.clear()
          setUnparsed('')
          setForm(settingsOf(props.row))
        }}
      />
    </>
  )
}
