import type { ApiError } from '#client/api/http.ts'
import { Fieldset, TextField, UnitField } from '#client/ui/console/form.tsx'
import { errorAt } from './explain.ts'
import type { Bounds } from './limits.ts'
import { ts } from './messages.ts'

/** The fields for budgets and limits. */
export function BoundsFields(props: { value: Bounds; error: ApiError | undefined; readonly?: boolean; onChange(value: Bounds): void }) {
  const set = (name: keyof Bounds) => (text: string) => props.onChange({ ...props.value, [name]: text })
  const money = (name: 'daily' | 'weekly' | 'monthly' | 'total') => (
    <UnitField
      label={ts(name)}
      unit={ts('usd')}
      value={props.value[name]}
      readonly={props.readonly ?? false}
      error={errorAt(props.error, `budget.${name}`)}
      onChange={set(name)}
    />
  )
  const rate = (name: 'rpm' | 'tpm' | 'concurrency') => (
    <UnitField
      label={ts(name)}
      unit={name === 'tpm' ? ts('tokensUnit') : ts('requestsUnit')}
      value={props.value[name]}
      readonly={props.readonly ?? false}
      error={errorAt(props.error, `limits.${name}`)}
      onChange={set(name)}
    />
  )
  return (
    <>
      <Fieldset title={ts('budgets')} hint={ts('budgetsHint')}>
        <div class="two">
          {money('daily')}
          {money('weekly')}
          {money('monthly')}
          {money('total')}
        </div>
        <TextField
          label={ts('timezone')}
          hint={ts('timezoneHint')}
          value={props.value.timezone}
          readonly={props.readonly ?? false}
          error={errorAt(props.error, 'budget.timezone')}
          onChange={set('timezone')}
        />
      </Fieldset>
      <Fieldset title={ts('limits')} hint={ts('limitsHint')}>
        <div class="three">
          {rate('rpm')}
          {rate('tpm')}
          {rate('concurrency')}
        </div>
      </Fieldset>
    </>
  )
}
