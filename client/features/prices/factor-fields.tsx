import { Index, Show } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { SelectField, TextField, UnitField } from '#client/ui/console/form.tsx'
import { factorNames, type TypedFactor, wrongIn } from './factors.ts'
import { t } from './messages.ts'

/** The price factors. `checked`: whether errors are marked. */
export function FactorFields(props: {
  factors: readonly TypedFactor[]
  readonly: boolean
  checked: boolean
  error?: string | undefined
  onChange(factors: TypedFactor[]): void
}) {
  const set = (at: number, change: Partial<TypedFactor>) =>
    props.onChange(props.factors.map((factor, place) => (place === at ? { ...factor, ...change } : factor)))
  return (
    <div class="grid gap-4">
      <Index each={props.factors}>
        {(factor, at) => {
          const wrong = () => (props.checked ? wrongIn(factor(), props.factors) : undefined)
          return (
            <fieldset class="grid gap-3" aria-label={t('factorOf', { count: at + 1 })}>
              <div class="form two">
                <SelectField
                  label={t('factorField')}
                  value={factor().name}
                  disabled={props.readonly}
                  options={factorNames.map((value) => ({ value, label: value }))}
                  onChange={(value) => set(at, { name: factorNames.find((one) => one === value) ?? 'service_tier' })}
                />
                <TextField
                  label={t('factorWord')}
                  mono
                  maxlength={40}
                  value={factor().word}
                  readonly={props.readonly}
                  error={wrong()?.word ? t('factorWordWrong') : undefined}
                  onChange={(word) => set(at, { word })}
                />
                <UnitField
                  label={t('factorTimes')}
                  unit="×"
                  value={factor().times}
                  readonly={props.readonly}
                  error={wrong()?.times ? t('factorTimesWrong') : undefined}
                  onChange={(times) => set(at, { times })}
                />
              </div>
              <Show when={!props.readonly}>
                <Button
                  class="justify-self-start"
                  look="ghost"
                  onClick={() => props.onChange(props.factors.filter((_, place) => place !== at))}
                >
                  {t('factorRemove')}
                </Button>
              </Show>
            </fieldset>
          )
        }}
      </Index>
      <Show when={props.error}>{(text) => <p class="wrong">{text()}</p>}</Show>
      <Show when={!props.readonly}>
        <Button
          class="justify-self-start"
          size="sm"
          icon="plus"
          onClick={() => props.onChange([...props.factors, { name: 'service_tier', word: '', times: '' }])}
        >
          {t('factorAdd')}
        </Button>
      </Show>
      <Show when={props.factors.length === 0}>
        <p class="hint">{t('factorsHint')}</p>
      </Show>
    </div>
  )
}
