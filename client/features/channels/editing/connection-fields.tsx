import { createSignal, For, Show, Suspense } from 'solid-js'
import { vendorCard } from '#client/console/vendors.ts'
import { Button } from '#client/ui/button.tsx'
import { AreaField, CheckList, Fieldset, SwitchField, TextField } from '#client/ui/console/form.tsx'
import { Status } from '#client/ui/console/status.tsx'
import { later } from '#client/ui/later.ts'
import type { ChannelRow, HealthRow } from '#shared/console/channel'
import type { GroupRow } from '#shared/console/group'
import type { Fields } from './fields.ts'
import { t } from './messages.ts'
import { PairsField } from './pairs-field.tsx'

const KeyDialog = later(async () => (await import('./key-dialog.tsx')).KeyDialog)

interface Props extends Fields {
  row: ChannelRow
  rests: readonly HealthRow[]
  groups: readonly GroupRow[]
  onSaved(row: ChannelRow): void
}

/** The vendor account, and the routing to it. */
export function ConnectionFields(props: Props) {
  const text = (name: 'name' | 'baseUrl' | 'tags' | 'priority' | 'weight', hint?: string) => (
    <TextField
      label={t(name)}
      hint={hint}
      mono={name === 'baseUrl'}
      value={props.form[name]}
      readonly={props.readonly}
      error={props.wrong(name)}
      // A new address requires all keys again.
      onChange={(value) =>
        props.onChange({ [name]: value, ...(name === 'baseUrl' && { replaceKeys: value !== (props.row.baseUrl ?? '') }) })
      }
    />
  )
  return (
    <>
      <Fieldset title={t('account')}>
        <div class="two">
          {text('name')}
          <TextField
            label={t('vendor')}
            hint={t('vendorHint')}
            value={vendorCard(props.row.vendor)?.title ?? props.row.vendor}
            readonly
            onChange={() => {}}
          />
        </div>
        {text('baseUrl', t('baseUrlHint'))}
        <Keys {...props} />
        <PairsField
          label={t('options')}
          hint={t('optionsHint')}
          nameLabel={t('optionName')}
          valueLabel={(name) => t('optionValue', { name })}
          add={t('addOption')}
          rows={props.form.options}
          readonly={props.readonly}
          error={props.wrong('options')}
          onChange={(options) => props.onChange({ options })}
        />
      </Fieldset>
      <Fieldset title={t('routing')}>
        <CheckList
          label={t('groups')}
          options={props.groups.map((group) => ({ value: group.name, label: group.name, note: group.description }))}
          chosen={props.form.groups}
          readonly={props.readonly}
          onChange={(groups) => props.onChange({ groups })}
        />
        <div class="two">
          {text('priority', t('priorityHint'))}
          {text('weight', t('weightHint'))}
        </div>
        {text('tags', t('tagsHint'))}
      </Fieldset>
    </>
  )
}

/** The current keys, and a field for new ones. */
function Keys(props: Props) {
  const [editing, setEditing] = createSignal<ChannelRow['keys'][number]>()
  const restOf = (name: string) => props.rests.find((rest) => rest.key === name && rest.model === null)
  const shapeOf = (name: string) => (!restOf(name) ? 'ok' : restOf(name)?.state === 'half-open' ? 'warn' : 'bad')
  return (
    <>
      <div class="field">
        <span class="text-[13px]/[18px] font-medium">{t('keys')}</span>
        <Show when={props.row.keys.length > 0} fallback={<span class="hint">{t('noKeys')}</span>}>
          <ul class="key-list">
            <For each={props.row.keys}>
              {(key) => (
                <li>
                  <span class="min-w-0 flex-1 truncate" title={key.name}>
                    {key.name} <span class="mono text-ink-3">{key.hint}</span>
                  </span>
                  <span class="num text-ink-2">{t('keyWeight', { weight: key.weight })}</span>
                  <Show when={key.enabled} fallback={<Status shape="off">{t('keyOff')}</Status>}>
                    <Status shape={shapeOf(key.name)}>{restOf(key.name) ? t('keyRests') : t('keyFine')}</Status>
                  </Show>
                  <Show when={!props.readonly}>
                    <Button size="sm" look="ghost" aria-label={t('keyEdit', { name: key.name })} onClick={() => setEditing(key)}>
                      {t('edit')}
                    </Button>
                  </Show>
                </li>
              )}
            </For>
          </ul>
          <span class="hint">{t('keysSealed')}</span>
        </Show>
      </div>
      <Suspense>
        <Show when={editing()}>
          {(key) => (
            <KeyDialog
              channel={props.row.id}
              row={key()}
              onClose={() => setEditing()}
              onSaved={(row) => {
                setEditing()
                props.onSaved(row)
              }}
            />
          )}
        </Show>
      </Suspense>
      <Show when={!props.readonly}>
        <AreaField
          label={t('keysNew')}
          hint={t('keysHint')}
          mono
          rows={2}
          value={props.form.keys}
          error={props.wrong('keys')}
          onChange={(keys) => props.onChange({ keys })}
        />
        <Show when={props.row.keys.length > 0 && props.form.keys.trim() !== ''}>
          <SwitchField
            label={t('replaceKeys', { count: props.row.keys.length })}
            hint={t('replaceKeysHint')}
            on={props.form.replaceKeys}
            onChange={(replaceKeys) => props.onChange({ replaceKeys })}
          />
        </Show>
      </Show>
    </>
  )
}
