import { Show } from 'solid-js'
import type { Column } from '#client/ui/console/table.tsx'
import { formatDay } from '#client/ui/console/time.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { formatCount, formatMoney } from '#client/ui/format.ts'
import { Icon } from '#client/ui/icon.tsx'
import type { EntryRow } from '#shared/console/user'
import { t } from './messages.ts'

/** The columns of a ledger; the charges of a day open on click. */
export const ledgerColumns = (isOpen: (row: EntryRow) => boolean, onTurn: (row: EntryRow) => void): Column<EntryRow>[] => [
  {
    id: 'at',
    label: t('entryAt'),
    cell: (row) => (
      <span class="text-ink-2">{row.day === undefined ? <Instant at={row.at} /> : <Instant at={row.at} text={formatDay(row.day)} />}</span>
    ),
  },
  {
    id: 'kind',
    label: t('entryKind'),
    card: 'title',
    cell: (row) => (
      <Show when={row.day !== undefined} fallback={t(`entry_${row.kind}`)}>
        <button
          type="button"
          class="inline-flex items-center gap-1 text-left font-medium hover:text-accent"
          aria-expanded={isOpen(row)}
          onClick={() => onTurn(row)}
        >
          <Icon name={isOpen(row) ? 'down' : 'right'} small />
          {t('dayCharges', { count: row.entries ?? 0, number: formatCount(row.entries ?? 0) })}
        </button>
      </Show>
    ),
  },
  { id: 'reason', label: t('entryReason'), cell: (row) => <Cause of={row} /> },
  { id: 'actor', label: t('entryActor'), wide: true, cell: (row) => row.actorName ?? row.actor },
  { id: 'amount', label: t('entryAmount'), right: true, card: 'figure', cell: (row) => <Amount of={row.amount} /> },
  {
    id: 'balance',
    label: t('balance'),
    right: true,
    cell: (row) => (
      <span class="num" title={`$${row.balance}`}>
        {formatMoney(row.balance)}
      </span>
    ),
  },
]

/** Incoming amounts have a plus and the success colour. */
export function Amount(props: { of: string }) {
  const came = () => !props.of.startsWith('-') && Number(props.of) !== 0
  return (
    <span title={`$${props.of}`} classList={{ 'text-ok': came() }}>
      {came() && '+'}
      {formatMoney(props.of)}
    </span>
  )
}

/** The reason, and the poster's reference. */
function Cause(props: { of: EntryRow }) {
  const reference = () => props.of.ref.slice(props.of.ref.indexOf(':') + 1)
  const tab = () => ({ payment: 'payments', refund: 'payments', code: 'codes' })[props.of.ref.split(':', 1)[0] ?? '']
  return (
    <Show when={!props.of.ref.startsWith('usage:')} fallback={<RequestLink of={props.of.ref} />}>
      <span class="whitespace-normal">{props.of.reason}</span>
      <Show when={props.of.ref}>
        <small class="mono wrap-anywhere whitespace-normal">
          <Show when={tab()} fallback={props.of.ref}>
            {(where) => <a href={`/admin/selling?tab=${where()}&q=${encodeURIComponent(reference())}`}>{props.of.ref}</a>}
          </Show>
        </small>
      </Show>
    </Show>
  )
}

/** The request that was charged. */
export function RequestLink(props: { of: string }) {
  const id = () => props.of.slice(props.of.indexOf(':') + 1)
  return (
    <a class="mono text-[12px]" href={`/requests/${encodeURIComponent(id())}`}>
      {id()}
    </a>
  )
}
