import { createMemo, createSignal, Show } from 'solid-js'
import { type ApiError, callApi } from '#client/api/http.ts'
import { BoundsFields } from '#client/console/bounds-fields.tsx'
import { errorAt } from '#client/console/explain.ts'
import { KeepField } from '#client/console/keep-field.tsx'
import { createLoad, readAll } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { AreaField, CheckList, Fieldset, SelectField, SwitchField, TextField } from '#client/ui/console/form.tsx'
import { formatExactly } from '#client/ui/console/time.ts'
import type { GroupRow } from '#shared/console/group'
import type { ModelRow } from '#shared/console/model'
import type { SignedIn } from '#shared/console/user'
import { isPattern, matchesPattern } from '#shared/model-pattern'
import { endOfDay, expiryDays, expiryKind, type KeyDraft, lastDayOf } from './draft.ts'
import { t } from './messages.ts'

interface FieldsProps {
  draft: KeyDraft
  error: ApiError | undefined
  readonly?: boolean
  onChange(draft: KeyDraft): void
}

/** Name and note. */
export function NameFields(props: FieldsProps) {
  return (
    <>
      <TextField
        label={t('name')}
        placeholder={t('namePlaceholder')}
        value={props.draft.name}
        required
        maxlength={120}
        readonly={props.readonly ?? false}
        error={errorAt(props.error, 'name')}
        onChange={(name) => props.onChange({ ...props.draft, name })}
      />
      <TextField
        label={t('note')}
        hint={t('noteHint')}
        value={props.draft.note}
        maxlength={500}
        readonly={props.readonly ?? false}
        error={errorAt(props.error, 'note')}
        onChange={(note) => props.onChange({ ...props.draft, note })}
      />
    </>
  )
}

/** Group, models, expiry, addresses, strictness. */
export function UseFields(props: FieldsProps) {
  const groups = createLoad(
    () => '/api/groups',
    (path, signal) => readAll<GroupRow>(path, signal),
  )
  const models = createLoad(
    () => `/api/models${props.draft.group === '' ? '' : `?group=${encodeURIComponent(props.draft.group)}`}`,
    (path, signal) => readAll<ModelRow>(path, signal),
  )
  /** Selected models that are not offered now stay in the list, or saving would drop them. */
  const options = createMemo(() => {
    const offered = (models.value() ?? []).map(({ id }) => id)
    const named = props.draft.models.filter((name) => !isPattern(name))
    return [...new Set([...offered, ...named])].map((id) => ({ value: id, label: id }))
  })
  const groupOptions = () => {
    const names = (groups.value() ?? []).map(({ name }) => name)
    const all = props.draft.group === '' || names.includes(props.draft.group) ? names : [...names, props.draft.group]
    return [{ value: '', label: t('groupOfOwner') }, ...all.map((name) => ({ value: name, label: name }))]
  }
  const expiryOptions = [
    { value: '', label: t('never') },
    ...expiryDays.map((days) => ({ value: days, label: t('days', { count: Number(days) }) })),
    { value: 'date', label: t('onDate') },
  ]
  const setExpiry = (kind: string) => props.onChange({ ...props.draft, expiry: kind === 'date' ? inAMonth() : kind })
  return (
    <Fieldset title={t('mayUse')}>
      <div class="two">
        <SelectField
          label={t('group')}
          hint={t('groupHint')}
          value={props.draft.group}
          options={groupOptions()}
          disabled={props.readonly ?? false}
          error={errorAt(props.error, 'group')}
          onChange={(group) => props.onChange({ ...props.draft, group })}
        />
        <SelectField
          label={t('expiry')}
          value={expiryKind(props.draft.expiry)}
          options={expiryOptions}
          disabled={props.readonly ?? false}
          error={errorAt(props.error, 'expiresAt')}
          onChange={setExpiry}
        />
      </div>
      <Show when={expiryKind(props.draft.expiry) === 'date'}>
        <TextField
          type="date"
          label={t('lastDay')}
          hint={t('lastDayHint', { when: formatExactly(props.draft.expiry) })}
          value={lastDayOf(props.draft.expiry)}
          readonly={props.readonly ?? false}
          onChange={(day) => /^\d{4}-\d\d-\d\d$/.test(day) && props.onChange({ ...props.draft, expiry: endOfDay(day) })}
        />
      </Show>
      <Show when={options().length > 0}>
        <CheckList
          label={t('allowModels')}
          hint={t('allowModelsHint')}
          options={options()}
          chosen={props.draft.models}
          readonly={props.readonly ?? false}
          onChange={(chosen) => props.onChange({ ...props.draft, models: chosen })}
        />
        <PatternField draft={props.draft} readonly={props.readonly ?? false} offered={models.value() ?? []} onChange={props.onChange} />
      </Show>
      <AreaField
        label={t('addresses')}
        hint={t('addressesHint')}
        mono
        rows={2}
        value={props.draft.addresses}
        readonly={props.readonly ?? false}
        error={errorAt(props.error, 'addresses')}
        onChange={(addresses) => props.onChange({ ...props.draft, addresses })}
      />
      <Show when={!props.readonly}>
        <OwnAddress {...props} />
      </Show>
      <KeepField
        value={props.draft.keep}
        readonly={props.readonly ?? false}
        onChange={(keep) => props.onChange({ ...props.draft, keep })}
      />
      <SwitchField
        label={t('strict')}
        hint={t('strictHint')}
        on={props.draft.strict}
        onChange={(strict) => !props.readonly && props.onChange({ ...props.draft, strict })}
      />
    </Fieldset>
  )
}

/** The end of this day of the next month, about. */
const inAMonth = () => endOfDay(lastDayOf(new Date(Date.now() + 30 * 86_400_000).toISOString()))

/** Adds the user's current IP address. */
function OwnAddress(props: FieldsProps) {
  const session = createLoad(
    () => '/api/session',
    (path, signal) => callApi<SignedIn>('GET', path, undefined, signal),
  )
  const lines = () => props.draft.addresses.split(/[\s,]+/).filter(Boolean)
  const missing = () => {
    const address = session.value()?.address
    return address !== undefined && !lines().includes(address) ? address : undefined
  }
  return (
    <Show when={missing()}>
      {(address) => (
        <div class="-mt-2">
          <Button size="sm" icon="plus" onClick={() => props.onChange({ ...props.draft, addresses: [...lines(), address()].join('\n') })}>
            {t('addMine', { address: address() })}
          </Button>
        </div>
      )}
    </Show>
  )
}

/** Patterns such as `claude-*`, with the models that they match now. */
function PatternField(props: { draft: KeyDraft; readonly: boolean; offered: readonly ModelRow[]; onChange(draft: KeyDraft): void }) {
  const patterns = () => props.draft.models.filter(isPattern)
  const [text, setText] = createSignal(patterns().join(', '))
  const change = (typed: string) => {
    setText(typed)
    const found = typed.split(/[\s,]+/).filter(isPattern)
    props.onChange({ ...props.draft, models: [...props.draft.models.filter((name) => !isPattern(name)), ...found] })
  }
  const preview = () => {
    if (patterns().length === 0) return t('patternsHint')
    const found = props.offered.filter(({ id }) => patterns().some((pattern) => matchesPattern(pattern, id))).map(({ id }) => id)
    return found.length === 0 ? t('patternsNone') : t('patternsMatch', { count: found.length, models: found.join(', ') })
  }
  return <TextField label={t('patterns')} hint={preview()} mono value={text()} readonly={props.readonly} onChange={change} />
}

/** Budget and limits. */
export function LimitFields(props: FieldsProps) {
  return (
    <BoundsFields
      value={props.draft.bounds}
      error={props.error}
      readonly={props.readonly ?? false}
      onChange={(bounds) => props.onChange({ ...props.draft, bounds })}
    />
  )
}
