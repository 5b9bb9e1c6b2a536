import { createEffect, createSignal, on, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { errorAt, explain } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { AreaField, CheckList, Fieldset, SwitchField, TextField } from '#client/ui/console/form.tsx'
import { SaveBar } from '#client/ui/console/save-bar.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelPatch, ChannelRow } from '#shared/console/channel'
import type { GroupRow } from '#shared/console/group'
import { t } from './messages.ts'
import { type ChannelSettings, changedFields, patchOf, settingsOf } from './settings-draft.ts'

const labels = {
  name: 'name',
  baseUrl: 'baseUrl',
  keys: 'keysLabel',
  groups: 'groupsLabel',
  tags: 'tags',
  priority: 'priority',
  weight: 'weight',
  strict: 'strict',
  systemPrompt: 'systemPrompt',
  headers: 'headers',
  options: 'options',
  params: 'params',
  timeouts: 'timeouts',
  proxy: 'proxy',
  tls: 'tls',
  costs: 'costs',
} as const

/** Account, routing, and what is rarely needed. */
export function SettingsTab(props: { row: ChannelRow; onSaved(row: ChannelRow): void }) {
  const [form, setForm] = createSignal<ChannelSettings>(settingsOf(props.row))
  const [unparsed, setUnparsed] = createSignal('')
  const write = createWrite()
  const groups = createLoad(
    () => '/api/groups?all=true',
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  createEffect(
    on(
      () => props.row,
      (row) => setForm(settingsOf(row)),
      { defer: true },
    ),
  )
  const readonly = () => props.row.managed === 'file'
  const changes = () => (readonly() ? [] : changedFields(settingsOf(props.row), form()))
  const set =
    <Name extends keyof ChannelSettings>(name: Name) =>
    (value: ChannelSettings[Name]) =>
      setForm({ ...form(), [name]: value })
  const wrong = (name: keyof ChannelSettings) => (unparsed() === name ? t('badJson') : errorAt(write.error(), name))
  const save = async () => {
    setUnparsed('')
    let patch: ChannelPatch
    try {
      const whole: Record<string, unknown> = patchOf(form())
      patch = Object.fromEntries(changes().map((name) => [name, whole[name]])) as ChannelPatch
    } catch (thrown) {
      setUnparsed((thrown as SyntaxError).message)
      return
    }
    const done = await write.run(async () => {
      props.onSaved(await callApi<ChannelRow>('PATCH', `/api/channels/${encodeURIComponent(props.row.id)}`, patch))
    })
    if (done) showToast(t('saved'))
  }
  const text = (name: 'name' | 'baseUrl' | 'tags' | 'priority' | 'weight' | 'proxy', hint?: string, mono = false) => (
    <TextField
      label={t(labels[name])}
      hint={hint}
      mono={mono}
      value={form()[name]}
      readonly={readonly()}
      error={wrong(name)}
      onChange={set(name)}
    />
  )
  const area = (
    name: 'keys' | 'systemPrompt' | 'headers' | 'options' | 'params' | 'timeouts' | 'costs' | 'tls',
    hint?: string,
    rows = 3,
  ) => (
    <AreaField
      label={t(labels[name])}
      hint={hint}
      mono={name !== 'systemPrompt'}
      rows={rows}
      value={form()[name]}
      readonly={readonly()}
      error={wrong(name)}
      onChange={set(name)}
    />
  )
  return (
    <>
      <Show when={readonly()}>
        <p class="notice mb-4">{t('managed')}</p>
      </Show>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Fieldset title={t('general')}>
          {text('name')}
          {text('baseUrl', t('baseUrlKeys'), true)}
          <Show when={!readonly()}>{area('keys', t('keysKept', { count: props.row.keys.length }), 2)}</Show>
          {area('options', t('optionsHint'), 2)}
        </Fieldset>
        <Fieldset title={t('routing')}>
          <CheckList
            label={t('groupsLabel')}
            options={(groups.value() ?? []).map((group) => ({ value: group.name, label: group.name, note: group.description }))}
            chosen={form().groups}
            readonly={readonly()}
            onChange={set('groups')}
          />
          <div class="two">
            {text('priority', t('priorityHint'))}
            {text('weight', t('weightHint'))}
          </div>
          {text('tags', t('tagsHint'))}
          <SwitchField label={t('strict')} hint={t('strictHint')} on={form().strict} onChange={(on) => !readonly() && set('strict')(on)} />
        </Fieldset>
        <Fieldset title={t('costs')}>{area('costs', t('costsHint'), 6)}</Fieldset>
        <Fieldset title={t('advanced')}>
          {area('systemPrompt')}
          {area('headers', t('headersHint'), 2)}
          {area('params', t('paramsHint'), 3)}
          {area('timeouts', t('timeoutsHint'), 3)}
          {text('proxy', t('proxyHint'), true)}
          {area('tls', t('tlsHint'), 3)}
        </Fieldset>
      </form>
      <SaveBar
        changes={changes().map((name) => t(labels[name]))}
        busy={write.busy()}
        error={write.error() && explain(write.error() as never)}
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
