/** A bill as a formula that anyone can check, with every digit. */
import { For, Show } from 'solid-js'
import { formatCount } from '#client/ui/format.ts'
import type { Bill } from '#shared/console/log'
import { priceUnits } from '#shared/console/price'
import { ts } from './messages.ts'
import './bill.css'

/** The lines of a bill, their sum, the ratio of the group, and the result. */
export function BillTable(props: { bill: Bill; group: string; total: string }) {
  return (
    <table class="bill">
      <tbody>
        <For each={props.bill.lines}>
          {(line) => (
            <tr>
              <th scope="row">
                {unitText(line.unit)}
                <Show when={line.tier}>{(above) => <small> {ts('billTier', { above: formatCount(above()) })}</small>}</Show>
              </th>
              <td>{formatCount(line.amount)}</td>
              <td>
                {ts(line.per === 1 ? 'billPer1' : 'billPer1000000', { price: `$${line.price}` })}
                <Show when={line.factor}>{(factor) => <> × {factor()}</>}</Show>
              </td>
              <td>${exact(line)}</td>
            </tr>
          )}
        </For>
        <tr class="sum">
          <th scope="row" colspan="3">
            {ts('billSum')}
          </th>
          <td>${props.bill.sum}</td>
        </tr>
        <tr>
          <th scope="row" colspan="3">
            {ts('billRatio', { group: props.group })}
          </th>
          <td>× {props.bill.ratio}</td>
        </tr>
        <Show when={props.bill.rounding !== '0'}>
          <tr>
            <th scope="row" colspan="3">
              {ts('billRounding')}
            </th>
            <td>+ ${props.bill.rounding}</td>
          </tr>
        </Show>
        <tr class="charged">
          <th scope="row" colspan="3">
            {props.total}
          </th>
          <td>${props.bill.cost}</td>
        </tr>
      </tbody>
    </table>
  )
}

/** The label of a price unit; unknown units are shown as they are. */
export function unitText(unit: string): string {
  const known = priceUnits.find((one) => one === unit)
  return known === undefined ? unit : ts(`unit_${known}`)
}

/** `amount * price / per` without a float: amounts are whole or have few places, prices are decimals. */
function exact({ amount, price, per, factor = '1' }: Bill['lines'][number]): string {
  const split = [price, String(amount), factor].map((text) => text.split('.'))
  const places = split.reduce((sum, [, fraction = '']) => sum + fraction.length, per === 1 ? 0 : 6)
  const product = split.reduce((all, parts) => all * BigInt(parts.join('')), 1n)
  const digits = product.toString().padStart(places + 1, '0')
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
  return text.includes('.') ? text.replace(/0+$/, '').replace(/\.$/, '') : text
}
