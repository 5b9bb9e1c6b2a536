import { For, Show } from 'solid-js'
import { DrawerPart } from '#client/ui/console/drawer.tsx'
import { Facts } from '#client/ui/console/facts.tsx'
import { formatExactly } from '#client/ui/console/time.ts'
import { formatCount, formatMoney, formatPercent } from '#client/ui/format.ts'
import type { Bill, LogRow, UsageRow } from '#shared/console/log'
import { t } from './messages.ts'
import { inputTokens } from './request-columns.tsx'

/** The bill as a formula, with every digit, and the usage it stands on. */
export function RequestBill(props: { row: LogRow }) {
  return (
    <>
      <DrawerPart title={t('bill')}>
        <Show when={props.row.bill} fallback={<p class="text-[13px] text-ink-2">{t('billNone')}</p>}>
          {(bill) => <Formula bill={bill()} row={props.row} />}
        </Show>
      </DrawerPart>
      <Show when={props.row.usage}>{(usage) => <UsagePart usage={usage()} />}</Show>
    </>
  )
}

function Formula(props: { bill: Bill; row: LogRow }) {
  const share = () => {
    const cost = Number(props.row.cost)
    return cost === 0 ? '–' : formatPercent(Number(props.row.margin ?? 0) / cost, 1)
  }
  return (
    <>
      <table class="bill">
        <tbody>
          <For each={props.bill.lines}>
            {(line) => (
              <tr>
                <th scope="row">
                  {unitText(line.unit)}
                  <Show when={line.tier}>{(above) => <small> {t('tier', { above: formatCount(above()) })}</small>}</Show>
                </th>
                <td>{formatCount(line.amount)}</td>
                <td>
                  {t(line.per === 1 ? 'per1' : 'per1000000', { price: `$${line.price}` })}
                  <Show when={line.factor}>{(factor) => <> × {factor()}</>}</Show>
                </td>
                <td>${exact(line)}</td>
              </tr>
            )}
          </For>
          <tr class="sum">
            <th scope="row" colspan="3">
              {t('sum')}
            </th>
            <td>${props.bill.sum}</td>
          </tr>
          <tr>
            <th scope="row" colspan="3">
              {t('ratio', { group: props.row.group })}
            </th>
            <td>× {props.bill.ratio}</td>
          </tr>
          <Show when={props.bill.rounding !== '0'}>
            <tr>
              <th scope="row" colspan="3">
                {t('rounding')}
              </th>
              <td>+ ${props.bill.rounding}</td>
            </tr>
          </Show>
          <tr class="charged">
            <th scope="row" colspan="3">
              {t('charged')}
            </th>
            <td>${props.bill.cost}</td>
          </tr>
        </tbody>
      </table>
      <p class="tiny mt-2 text-ink-2">{t('billAt', { when: formatExactly(props.row.at) })}</p>
      <Show when={Number(props.row.charged) > 0 && props.row.charged !== props.row.cost}>
        <p class="tiny mt-2 text-ink-2">{t('chargedLess', { charged: `$${props.row.charged}` })}</p>
      </Show>
      <Show when={props.row.upstreamCost}>
        {(cost) => (
          <p class="tiny num mt-2 flex flex-wrap gap-x-4 text-ink-2">
            <span>{t('upstreamCost', { amount: `$${cost()}` })}</span>
            <span>{t('margin', { amount: formatMoney(props.row.margin ?? '0', true), share: share() })}</span>
          </p>
        )}
      </Show>
    </>
  )
}

/** The name of a price in words; one that has none here as it is. */
function unitText(unit: string): string {
  const known = units.find((one) => one === unit)
  return known === undefined ? unit : t(`unit_${known}`)
}

const units = [
  ...(['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'reasoning', 'audioIn', 'audioOut', 'imageIn', 'imageOut'] as const),
  ...(['request', 'image', 'second', 'search', 'character'] as const),
] as const

/** `amount * price / per` without a float: amounts are whole or have few places, prices are decimals. */
function exact({ amount, price, per, factor = '1' }: Bill['lines'][number]): string {
  const split = [price, String(amount), factor].map((text) => text.split('.'))
  const places = split.reduce((sum, [, fraction = '']) => sum + fraction.length, per === 1 ? 0 : 6)
  const product = split.reduce((all, parts) => all * BigInt(parts.join('')), 1n)
  const digits = product.toString().padStart(places + 1, '0')
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text
}

function UsagePart(props: { usage: UsageRow }) {
  const source = { provider: 'usageProvider', partial: 'usagePartial', estimated: 'usageEstimated' } as const
  const some = (value: number) => (value > 0 ? formatCount(value) : undefined)
  const both = (left: number, right: number) => (left + right > 0 ? `${formatCount(left)} / ${formatCount(right)}` : undefined)
  const written = () => {
    const { cacheWrite } = props.usage.in
    return cacheWrite['5m'] + cacheWrite['1h'] + cacheWrite.other
  }
  return (
    <DrawerPart title={t('usage')} note={t(source[props.usage.provenance])}>
      <div class="num">
        <Facts
          facts={[
            [t('u_input'), formatCount(inputTokens(props.usage))],
            [t('u_cacheRead'), some(props.usage.in.cacheRead)],
            [t('u_cacheWrite'), some(written())],
            [t('u_output'), formatCount(props.usage.out.total)],
            [t('u_reasoning'), some(props.usage.out.reasoning)],
            [t('u_audio'), both(props.usage.in.audio, props.usage.out.audio)],
            [t('u_image'), both(props.usage.in.image, props.usage.out.image)],
            [t('u_images'), some(props.usage.units.images)],
            [t('u_seconds'), some(props.usage.units.seconds)],
            [t('u_characters'), some(props.usage.units.characters)],
            [t('u_searches'), some(props.usage.units.searches)],
          ]}
        />
      </div>
    </DrawerPart>
  )
}
