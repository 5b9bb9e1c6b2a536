import { Index } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { t } from './messages.ts'
import type { Pair } from './pairs.ts'

/** Name and value pairs, one per row. */
export function PairsField(props: {
  label: string
  hint: string
  nameLabel: string
  /** The label of a value field. */
  valueLabel(name: string): string
  add: string
  rows: readonly Pair[]
  readonly: boolean
  error: string | undefined
  onChange(rows: Pair[]): void
}) {
  const change = (at: number, part: Partial<Pair>) => props.onChange(props.rows.map((row, one) => (one === at ? { ...row, ...part } : row)))
  const nameOf = (row: Pair) => row.name.trim() || t('unnamed')
  return (
    <fieldset class="field">
      <legend class="mb-1.5 text-[13px]/[18px] font-medium">{props.label}</legend>
      <div class="grid gap-2">
        <Index each={props.rows}>
          {(row, at) => (
            <div class="pair">
              <input
                class="in font-mono"
                aria-label={props.nameLabel}
                value={row().name}
                readonly={props.readonly}
                spellcheck={false}
                autocomplete="off"
                onInput={(event) => change(at, { name: event.currentTarget.value })}
              />
              <input
                class="in font-mono"
                aria-label={props.valueLabel(nameOf(row()))}
                value={row().value}
                readonly={props.readonly}
                spellcheck={false}
                autocomplete="off"
                onInput={(event) => change(at, { value: event.currentTarget.value })}
              />
              <button
                type="button"
                class="ib"
                aria-label={t('takeOut', { name: nameOf(row()) })}
                disabled={props.readonly}
                onClick={() => props.onChange(props.rows.filter((_, one) => one !== at))}
              >
                <Icon name="x" />
              </button>
            </div>
          )}
        </Index>
        <div>
          <Button
            size="sm"
            icon="plus"
            aria-disabled={props.readonly ? 'true' : undefined}
            onClick={() => !props.readonly && props.onChange([...props.rows, { name: '', value: '' }])}
          >
            {props.add}
          </Button>
        </div>
      </div>
      <span class={props.error ? 'wrong' : 'hint'}>{props.error ?? props.hint}</span>
    </fieldset>
  )
}
