import { For, Index, Show } from 'solid-js'
import { Button } from '#client/ui/button.tsx'
import { UnitField } from '#client/ui/console/form.tsx'
import { t } from './messages.ts'
import { shownFields, type TokenField, type TypedTier, tokensOf } from './tiers.ts'

/** Token prices for long input: each tier with the tokens above which it applies. `checked`: whether errors are marked. */
export function TierFields(props: {
  tiers: readonly TypedTier[]
  base: Partial<Record<TokenField, string>>
  readonly: boolean
  checked: boolean
  error?: string | undefined
  onChange(tiers: TypedTier[]): void
}) {
  const set = (at: number, change: Partial<TypedTier>) =>
    props.onChange(props.tiers.map((tier, place) => (place === at ? { ...tier, ...change } : tier)))
  return (
    <div class="grid gap-4">
      <Index each={props.tiers}>
        {(tier, at) => (
          <fieldset class="grid gap-3" aria-label={t('tierOf', { count: at + 1 })}>
            <div class="flex items-end gap-3">
              <div class="min-w-0 flex-1">
                <UnitField
                  label={t('tierAbove')}
                  unit={t('tierTokens')}
                  value={tier().above}
                  readonly={props.readonly}
                  error={props.checked && tokensOf(tier().above) === undefined ? t('tierWrong') : undefined}
                  onChange={(above) => set(at, { above })}
                />
              </div>
              <Show when={!props.readonly}>
                <Button look="ghost" onClick={() => props.onChange(props.tiers.filter((_, place) => place !== at))}>
                  {t('tierRemove')}
                </Button>
              </Show>
            </div>
            <div class="form two">
              <For each={shownFields(tier(), props.base)}>
                {(name) => (
                  <UnitField
                    label={t(name)}
                    unit={t('perMillion')}
                    value={tier()[name] ?? ''}
                    readonly={props.readonly}
                    onChange={(value) => set(at, { [name]: value })}
                  />
                )}
              </For>
            </div>
          </fieldset>
        )}
      </Index>
      <Show when={props.error}>{(text) => <p class="wrong">{text()}</p>}</Show>
      <Show when={!props.readonly}>
        <Button class="justify-self-start" size="sm" icon="plus" onClick={() => props.onChange([...props.tiers, { above: '' }])}>
          {t('tierAdd')}
        </Button>
      </Show>
      <Show when={props.tiers.length === 0}>
        <p class="hint">{t('tiersHint')}</p>
      </Show>
    </div>
  )
}
