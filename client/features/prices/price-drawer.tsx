import { createMemo, createSignal, For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { errorAt } from '#client/console/explain.ts'
import { isDemo } from '#client/console/vendors.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Drawer, DrawerPart } from '#client/ui/console/drawer.tsx'
import { UnitField } from '#client/ui/console/form.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { AskBeforeLeaving } from '#client/ui/console/save-bar.tsx'
import { Refusal } from '#client/ui/console/states.tsx'
import type { CatalogueRow } from '#shared/console/inspection/catalogue'
import type { PriceRow } from '#shared/console/price'
import { EffectPart } from './effect-part.tsx'
import { FactorFields } from './factor-fields.tsx'
import { typedFactors } from './factors.ts'
import { t } from './messages.ts'
import { PriceHistory } from './price-history.tsx'
import { TierFields } from './tier-fields.tsx'
import { type TokenField, tokenFields, typedTiers } from './tiers.ts'
import { typedPrice } from './typed-price.ts'

const eachFields = ['request', 'image', 'second', 'search', 'character'] as const
type Field = TokenField | (typeof eachFields)[number]

/** The price of one model, with its effect on the last seven days. */
export function PriceDrawer(props: {
  row: CatalogueRow
  onDone(text: string): void
  onClose(): void
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
}) {
  const begin = (): Record<Field, string> =>
    Object.fromEntries([...tokenFields, ...eachFields].map((name) => [name, props.row.price?.[name] ?? ''])) as Record<Field, string>
  const [fields, setFields] = createSignal(begin())
  const [tiers, setTiers] = createSignal(typedTiers(props.row.price?.tiers))
  const [factors, setFactors] = createSignal(typedFactors(props.row.price?.factors))
  const [wrong, setWrong] = createSignal<'tiers' | 'factors'>()
  const write = createWrite()
  const text = () => JSON.stringify([fields(), tiers(), factors()])
  const [stored, setStored] = createSignal(text())
  const readonly = () => props.row.price?.managed === 'file'
  const path = () => `/api/prices/${encodeURIComponent(props.row.model)}`
  const typed = createMemo(() => typedPrice(fields(), tiers(), factors()))
  const save = async (event: SubmitEvent) => {
    event.preventDefault()
    const { price, wrong } = typed()
    setWrong(wrong)
    if (!price) return
    const sent = text()
    if (!(await write.run(() => callApi<PriceRow>('PUT', path(), price)))) return
    setStored(sent)
    props.onDone(t('saved', { model: props.row.model }))
  }
  const remove = async () => {
    if (!(await write.run(() => callApi('DELETE', path())))) return
    setStored(text())
    props.onDone(t('removed', { model: props.row.model }))
  }
  const field = (name: Field, unit: string) => (
    <UnitField
      label={t(name)}
      unit={unit}
      value={fields()[name]}
      readonly={readonly()}
      error={errorAt(write.error(), name)}
      onChange={(value) => setFields({ ...fields(), [name]: value })}
    />
  )
  return (
    <Drawer
      narrow
      label={t('editTitle', { model: props.row.model })}
      title={props.row.model}
      onClose={props.onClose}
      onPrevious={props.onPrevious}
      onNext={props.onNext}
      foot={
        <Show when={!readonly()}>
          <Button type="submit" form="price" look="primary" busy={write.busy()}>
            {tc('save')}
          </Button>
          <span class="flex-1" />
          <Show when={props.row.price}>
            <Button look="bad ghost" title={t('removeWhy')} onClick={() => void remove()}>
              {t('remove')}
            </Button>
          </Show>
        </Show>
      }
    >
      <form id="price" onSubmit={(event) => void save(event)}>
        <DrawerPart>
          <p class="hint">{readonly() ? t(props.row.channels.some(isDemo) ? 'managedDemo' : 'managed') : t('intro')}</p>
        </DrawerPart>
        <DrawerPart title={t('tokens')}>
          <div class="form two">
            <For each={tokenFields}>{(name) => field(name, t('perMillion'))}</For>
          </div>
        </DrawerPart>
        <DrawerPart title={t('tiers')}>
          <TierFields
            tiers={tiers()}
            base={fields()}
            readonly={readonly()}
            checked={wrong() === 'tiers'}
            error={errorAt(write.error(), 'tiers')}
            onChange={setTiers}
          />
        </DrawerPart>
        <DrawerPart title={t('others')}>
          <div class="form two">
            <For each={eachFields}>{(name) => field(name, name === 'character' ? t('perMillion') : t('each'))}</For>
          </div>
        </DrawerPart>
        <DrawerPart title={t('factors')}>
          <FactorFields
            factors={factors()}
            readonly={readonly()}
            checked={wrong() === 'factors'}
            error={errorAt(write.error(), 'factors')}
            onChange={setFactors}
          />
          <Refusal of={write} class="mt-4" />
        </DrawerPart>
        <EffectPart model={props.row.model} price={typed().price} isUsed={props.row.week !== null} />
        <PriceHistory model={props.row.model} />
      </form>
      <AskBeforeLeaving
        changed={text() !== stored()}
        keptAt={(to) => to.pathname === location.pathname && to.searchParams.get('open') === props.row.model}
      />
    </Drawer>
  )
}
