/** The form field for which requests of a key or a group are kept. */
import { SelectField } from '#client/ui/console/form.tsx'
import { ts } from './messages.ts'

const usual = ['off', 'errors', '0.1', 'all'] as const
const labels = { off: 'keepOff', errors: 'keepErrors', '0.1': 'keepTenth', all: 'keepAll' } as const

/** Off, failures, a tenth, all; plus the current share if it is another one. */
export const keepOptions = (chosen: string): { value: string; label: string }[] => [
  ...usual.map((value) => ({ value, label: ts(labels[value]) })),
  ...(usual.some((value) => value === chosen) ? [] : [{ value: chosen, label: ts('keepShare', { percent: Number(chosen) * 100 }) }]),
]

/** The field in the form of a key or a group. */
export function KeepField(props: { value: string; readonly?: boolean; onChange(value: string): void }) {
  return (
    <SelectField
      label={ts('keepBodies')}
      hint={ts('keepBodiesHint')}
      value={props.value}
      options={keepOptions(props.value)}
      disabled={props.readonly ?? false}
      onChange={props.onChange}
    />
  )
}
