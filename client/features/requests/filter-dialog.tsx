import { createSignal } from 'solid-js'
import { useSession } from '#client/api/session.ts'
import { Button } from '#client/ui/button.tsx'
import { SelectField, TextField, UnitField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Dialog } from '#client/ui/dialog.tsx'
import { clockField, instantOfField } from '#client/ui/time-zone.ts'
import { ends } from '#shared/ids'
import { t } from './messages.ts'
import type { FilterName, SpanName } from './request-filters.ts'

type Values = Record<FilterName | SpanName, string>

/** All filters in one form. */
export function FilterDialog(props: { value: Values; onApply(value: Values): void; onClose(): void }) {
  const { admin } = useSession()
  const [value, setValue] = createSignal(props.value)
  const set = (name: FilterName) => (text: string) => setValue({ ...value(), [name]: text.trim() })
  const text = (name: FilterName, hint?: string) => <TextField label={t(name)} hint={hint} value={value()[name]} onChange={set(name)} />
  const choice = (name: FilterName, options: readonly string[], label: (value: string) => string) => (
    <SelectField
      label={t(name)}
      value={value()[name]}
      options={[{ value: '', label: tc('any') }, ...options.map((one) => ({ value: one, label: label(one) }))]}
      onChange={set(name)}
    />
  )
  /** A start or end time, to the minute; an unchanged one keeps its seconds. */
  const time = (name: SpanName) => (
    <TextField
      type="datetime-local"
      label={t(name)}
      value={clockField(new Date(props.value[name]))}
      onChange={(typed) => setValue({ ...value(), [name]: instantOfField(typed)?.toISOString() ?? '' })}
    />
  )
  const yesNo = (name: FilterName) => choice(name, ['true', 'false'], (one) => t(one === 'true' ? 'yes' : 'no'))
  return (
    <Dialog
      wide
      title={t('filtersTitle')}
      intro={t('filtersIntro')}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{tc('cancel')}</Button>
          <Button type="submit" form="request-filters" look="primary">
            {t('apply')}
          </Button>
        </>
      }
    >
      <form
        id="request-filters"
        class="form two"
        onSubmit={(event) => {
          event.preventDefault()
          props.onApply(value())
        }}
      >
        {text('key', t('idOrName'))}
        {admin() && text('user', t('idOrName'))}
        {text('model', t('modelHint'))}
        {admin() && text('upstreamModel', t('upstreamModelHint'))}
        {text('team', t('idOrName'))}
        {admin() && text('channel')}
        {text('group')}
        {text('error', t('errorHint'))}
        {text('errorText', t('errorTextHint'))}
        {text('status')}
        {choice('end', ends, (one) => t(`end_${one as (typeof ends)[number]}`))}
        {yesNo('failed')}
        {yesNo('stream')}
        {yesNo('losses')}
        <UnitField label={t('minCost')} unit={t('usdUnit')} value={value().minCost} onChange={set('minCost')} />
        <UnitField label={t('minMs')} unit={t('msUnit')} value={value().minMs} onChange={set('minMs')} />
        {time('from')}
        {time('to')}
      </form>
    </Dialog>
  )
}
