import { Show } from 'solid-js'
import { BillTable } from '#client/console/bill-table.tsx'
import { DrawerPart } from '#client/ui/console/drawer.tsx'
import { Facts } from '#client/ui/console/facts.tsx'
import { formatExactly } from '#client/ui/console/time.ts'
import { formatCount, formatMoney, formatPercent } from '#client/ui/format.ts'
import type { Bill, LogRow, UsageRow } from '#shared/console/log'
import { t } from './messages.ts'
import { inputTokens } from './request-columns.tsx'

/** The bill as a formula, with every digit, and the usage it is based on. */
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
      <BillTable bill={props.bill} group={props.row.group} total={t('charged')} />
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
