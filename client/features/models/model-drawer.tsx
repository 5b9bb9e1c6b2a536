import { For, Show } from 'solid-js'
import { unitText } from '#client/console/bill-table.tsx'
import { capableText } from '#client/console/capable.ts'
import { Drawer, DrawerPart } from '#client/ui/console/drawer.tsx'
import { Facts } from '#client/ui/console/facts.tsx'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { formatCompact, formatCount, formatPrice } from '#client/ui/format.ts'
import type { ModelRow } from '#shared/console/model'
import { priceUnits } from '#shared/console/price'
import { Calculator } from './calculator.tsx'
import { t } from './messages.ts'

const pieces: readonly string[] = ['request', 'image', 'second', 'search']

/** A model with its list prices, the group's prices, and the calculator. `own`: an amount as the user pays it. */
export function ModelDrawer(props: {
  row: ModelRow
  group: string
  ratio: string
  own(usd: string): string
  onClose(): void
  onPrevious?: (() => void) | undefined
  onNext?: (() => void) | undefined
}) {
  const price = () => props.row.price
  const lines = () => [
    ...priceUnits.flatMap((unit) => {
      const usd = price()[unit]
      return usd === undefined ? [] : [{ label: unitText(unit), per: pieces.includes(unit) ? t('perOne') : t('perMillion'), usd }]
    }),
    ...(price().tiers ?? []).flatMap(({ above, ...amounts }) =>
      priceUnits.flatMap((unit) => {
        const usd = amounts[unit as 'input']
        const label = `${unitText(unit)} ${t('aboveTokens', { tokens: formatCompact(above) })}`
        return usd === undefined ? [] : [{ label, per: t('perMillion'), usd }]
      }),
    ),
  ]
  const changesPrices = () => Number(props.ratio) !== 1
  const size = (tokens: number | null) => (tokens === null ? undefined : formatCount(tokens))
  return (
    <Drawer narrow label={props.row.id} title={props.row.id} onClose={props.onClose} onPrevious={props.onPrevious} onNext={props.onNext}>
      <DrawerPart>
        <Facts
          facts={[
            [t('abilities'), capableText(props.row)],
            [t('context'), size(props.row.contextTokens)],
            [t('most'), size(props.row.maxOutputTokens)],
            [t('protocols'), props.row.dialects.join(', ')],
            [t('priceChanged'), props.row.priceChangedAt && <Instant at={props.row.priceChangedAt} />],
          ]}
        />
      </DrawerPart>
      <DrawerPart title={t('pricesIn', { group: props.group })}>
        <table class="bill">
          <thead>
            <tr>
              <th scope="col">{t('paidFor')}</th>
              <td />
              <Show when={changesPrices()}>
                <td>{t('listPrice')}</td>
              </Show>
              <td>{changesPrices() ? t('yourPrice', { ratio: props.ratio }) : t('listPrice')}</td>
            </tr>
          </thead>
          <tbody>
            <For each={lines()}>
              {(line) => (
                <tr>
                  <th scope="row">{line.label}</th>
                  <td class="text-ink-3">{line.per}</td>
                  <Show when={changesPrices()}>
                    <td class="text-ink-3">${formatPrice(line.usd)}</td>
                  </Show>
                  <td>{props.own(line.usd)}</td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
        <p class="hint mt-2">
          {changesPrices() ? t('ratioWhy', { group: props.group, ratio: props.ratio }) : t('ratioOne', { group: props.group })}
        </p>
      </DrawerPart>
      <Calculator row={props.row} group={props.group} />
    </Drawer>
  )
}
