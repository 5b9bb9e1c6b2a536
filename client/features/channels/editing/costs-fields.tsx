import { createMemo, createSignal, Show } from 'solid-js'
import { createLoad, readAll } from '#client/console/load.ts'
import { Button } from '#client/ui/button.tsx'
import { AreaField } from '#client/ui/console/form.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatPercent, formatPrice } from '#client/ui/format.ts'
import type { ChannelRow } from '#shared/console/channel'
import type { PriceFields, PriceRow } from '#shared/console/price'
import { filledCosts, marginsOf, readCosts, type ShownCost, shownCosts, withCost, writeCosts } from './costs.ts'
import type { Fields } from './fields.ts'
import { t } from './messages.ts'

/** Above this many rows, only those near the viewport are drawn. */
const fewRows = 60

/** What the upstream charges for each model, next to what callers pay. */
export function CostsFields(props: Fields & { row: ChannelRow }) {
  const prices = createLoad(
    () => '/api/prices',
    async (path, signal) => new Map((await readAll<PriceRow>(path, signal, 20_000)).map((price) => [price.model, price])),
  )
  const costs = createMemo(() => readCosts(props.form.costs))
  const offered = createMemo(() => props.row.models.map((model) => (typeof model === 'string' ? model : model.name)))
  // Sorted by name alone, so that a row does not move while it is edited.
  const rows = createMemo(() => [...new Set([...offered(), ...Object.keys(costs() ?? {})])].sort().map((model) => ({ model })))
  const set = (model: string, field: ShownCost, text: string) => {
    const known = costs()
    if (known) props.onChange({ costs: writeCosts(withCost(known, model, field, text)) })
  }
  const cost = (field: ShownCost) => ({
    id: field,
    label: t(field),
    right: true,
    cell: ({ model }: { model: string }) => (
      <input
        class="in num cost"
        inputmode="decimal"
        autocomplete="off"
        aria-label={t('costOf', { field: t(field), model })}
        placeholder={t('unknown')}
        readonly={props.readonly || costs() === undefined}
        value={costs()?.[model]?.[field] ?? ''}
        onInput={(event) => set(model, field, event.currentTarget.value)}
      />
    ),
  })
  return (
    <div class="stack">
      <div class="flex flex-wrap items-end gap-3">
        <p class="min-w-[240px] max-w-[64ch] flex-1 text-[13px] text-ink-2">{t('costsIntro')}</p>
        <Show when={!props.readonly && costs()}>
          {(known) => (
            <Fill
              costs={known()}
              prices={
                new Map(offered().flatMap((model) => (prices.value()?.has(model) ? [[model, priceOf(prices.value()?.get(model))]] : [])))
              }
              onFill={(filled) => props.onChange({ costs: writeCosts(filled) })}
            />
          )}
        </Show>
      </div>
      <DataTable
        label={t('costs')}
        rows={rows()}
        rowId={({ model }) => model}
        {...(rows().length > fewRows && { rowPx: 44 })}
        empty={<p class="p-4 text-[13px] text-ink-2">{t('noModels')}</p>}
        columns={[
          {
            id: 'model',
            label: t('model'),
            card: 'title',
            cell: ({ model }) => (
              <>
                <b class="mono">{model}</b>
                <Show when={!offered().includes(model)}>
                  <small>{t('notOffered')}</small>
                </Show>
              </>
            ),
          },
          ...shownCosts.map(cost),
          {
            id: 'pays',
            label: t('pays'),
            right: true,
            wide: true,
            cell: ({ model }) => (
              <Show when={prices.value()?.get(model)} fallback={<span class="na">–</span>}>
                {(price) => <span class="num">{[price().input, price().output].map(usd).join(' / ')}</span>}
              </Show>
            ),
          },
          {
            id: 'margin',
            label: t('margin'),
            right: true,
            card: 'figure',
            cell: ({ model }) => <Margin price={prices.value()?.get(model)} cost={costs()?.[model]} />,
          },
        ]}
        footEnd={t('units')}
      />
      <details>
        <summary class="cursor-pointer text-[13px] font-medium">{t('costsJson')}</summary>
        <div class="mt-2 max-w-[760px]">
          <AreaField
            label={t('costs')}
            hint={t('costsJsonHint')}
            mono
            rows={8}
            value={props.form.costs}
            readonly={props.readonly}
            error={costs() === undefined ? t('badJson') : props.wrong('costs')}
            onChange={(text) => props.onChange({ costs: text })}
          />
        </div>
      </details>
      <Show when={props.wrong('costs')}>{(wrong) => <p class="notice bad">{wrong()}</p>}</Show>
    </div>
  )
}

const usd = (amount: string | undefined) => (amount === undefined ? '–' : `$${formatPrice(amount)}`)

/** The price fields of a row, without its identity. */
function priceOf(row: PriceRow | undefined): PriceFields {
  const { model: _, managed: __, ...fields } = row ?? { model: '', managed: 'console' }
  return fields
}

function Margin(props: { price: PriceFields | undefined; cost: PriceFields | undefined }) {
  const shares = () => {
    const { input, output } = marginsOf(props.price, props.cost)
    return [...new Set([input, output].flatMap((share) => (share === undefined ? [] : [formatPercent(share, 0)])))]
  }
  const isLoss = () => Object.values(marginsOf(props.price, props.cost)).some((share) => share < 0)
  return (
    <Show when={shares().length > 0} fallback={<span class="na">{t('unknown')}</span>}>
      <span class="num" classList={{ 'text-bad': isLoss() }}>
        {shares().join(' / ')}
      </span>
    </Show>
  )
}

/** Fills in missing costs from the prices that callers pay. */
function Fill(props: {
  costs: Record<string, PriceFields>
  prices: ReadonlyMap<string, PriceFields>
  onFill(costs: Record<string, PriceFields>): void
}) {
  const [factor, setFactor] = createSignal('0.7')
  const count = () => [...props.prices.keys()].filter((model) => props.costs[model] === undefined).length
  const filled = () => filledCosts(props.costs, props.prices, factor())
  return (
    <Show when={count() > 0}>
      <span class="flex items-center gap-2" title={filled() ? t('fillHint') : t('badFactor')}>
        <span class="unit short w-[112px]">
          <input
            class="in num"
            inputmode="decimal"
            autocomplete="off"
            aria-label={t('factor')}
            aria-invalid={filled() ? undefined : 'true'}
            value={factor()}
            onInput={(event) => setFactor(event.currentTarget.value)}
          />
          <span aria-hidden="true">{t('factor')}</span>
        </span>
        <Button
          aria-disabled={filled() ? undefined : 'true'}
          onClick={() => {
            const next = filled()
            if (next) props.onFill(next)
          }}
        >
          {t('fill', { count: count() })}
        </Button>
      </span>
    </Show>
  )
}
