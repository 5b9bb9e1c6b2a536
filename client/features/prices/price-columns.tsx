import { Show } from 'solid-js'
import { capableText } from '#client/console/capable.ts'
import { ts } from '#client/console/messages.ts'
import { isDemo } from '#client/console/vendors.ts'
import { ShortName } from '#client/ui/console/monogram.tsx'
import { FileBadge } from '#client/ui/console/status.tsx'
import type { Column } from '#client/ui/console/table.tsx'
import type { UrlState } from '#client/ui/console/url-state.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { formatMoney, formatPercent, formatPrice } from '#client/ui/format.ts'
import type { CatalogueRow } from '#shared/console/inspection/catalogue'
import { furtherPrices } from './further-prices.ts'
import { t } from './messages.ts'

/** The URL that opens a model and keeps the list's state. */
const hrefOf = (url: UrlState, { model }: CatalogueRow): string => url.href({ open: model })

/** The columns of the list of prices; sortable ones are sorted by the server. */
export const priceColumns = (url: UrlState): Column<CatalogueRow>[] => [
  {
    id: 'model',
    label: t('model'),
    sorts: true,
    card: 'title',
    cell: (row) => (
      <>
        <ShortName name={row.model} href={hrefOf(url, row)} />
        <small>
          <ShortName name={channelText(row)} />
        </small>
      </>
    ),
  },
  {
    id: 'can',
    label: ts('can'),
    wide: true,
    card: 'none',
    cell: (row) => <span class="text-ink-2">{capableText(row) ?? '–'}</span>,
  },
  {
    id: 'input',
    label: t('input'),
    sorts: true,
    right: true,
    cell: (row) => (row.price ? amount(row, 'input') : <span class="text-warn">{t('unpriced')}</span>),
  },
  { id: 'output', label: t('output'), sorts: true, right: true, cell: (row) => amount(row, 'output') },
  { id: 'cacheRead', label: t('cacheRead'), sorts: true, right: true, cell: (row) => amount(row, 'cacheRead') },
  { id: 'other', label: t('other'), wide: true, cell: (row) => row.price && <Further text={furtherPrices(row.price)} /> },
  {
    id: 'channels',
    label: t('channels'),
    sorts: true,
    extra: true,
    right: true,
    card: 'none',
    cell: (row) => row.channels.length,
  },
  {
    id: 'charged',
    label: t('charged'),
    sorts: true,
    wide: true,
    right: true,
    cell: (row) => (
      <Show when={row.week} fallback={<span class="na">–</span>}>
        {(week) => <span title={`$${week().charged}`}>{formatMoney(week().charged)}</span>}
      </Show>
    ),
  },
  {
    id: 'margin',
    label: t('margin'),
    sorts: true,
    right: true,
    wide: true,
    cell: (row) => (
      <Show when={row.week?.margin} fallback={<span class="na">–</span>}>
        {(margin) => (
          <span classList={{ 'text-bad': margin().startsWith('-') }} title={`$${margin()}`}>
            {percentOf(margin(), row.week?.charged)}
          </span>
        )}
      </Show>
    ),
  },
  {
    id: 'priceChangedAt',
    label: t('changedAt'),
    sorts: true,
    extra: true,
    card: 'none',
    cell: (row) => (row.priceChangedAt === null ? <span class="na">–</span> : <Instant at={row.priceChangedAt} />),
  },
  {
    id: 'state',
    label: t('actions'),
    bare: true,
    right: true,
    card: 'figure',
    cell: (row) => (
      <Show
        when={row.price && row.state !== 'incomplete'}
        fallback={
          <a class="btn sm" href={hrefOf(url, row)}>
            {row.price ? t('complete') : t('set')}
          </a>
        }
      >
        <Show when={row.price?.managed === 'file'}>
          <FileBadge builtIn={row.channels.some(isDemo)} />
        </Show>
      </Show>
    ),
  },
]

/** May take two lines: its length depends on the parts of the price. */
const Further = (props: { text: string }) => (
  <Show when={props.text}>{(text) => <span class="block min-w-[16ch] whitespace-normal">{text()}</span>}</Show>
)

function channelText({ channels }: CatalogueRow): string {
  const names = channels.slice(0, 3).map(({ name }) => name)
  if (names.length === 0) return t('noChannel')
  return names.join(', ') + (channels.length > names.length ? ` +${channels.length - names.length}` : '')
}

function amount({ price }: CatalogueRow, field: 'input' | 'output' | 'cacheRead') {
  const usd = price?.[field]
  return usd === undefined ? <span class="na">–</span> : `$${formatPrice(usd)}`
}

/** The margin as a share of the charges; the amount itself if nothing was charged. */
const percentOf = (margin: string, charged: string | undefined): string =>
  Number(charged) > 0 ? formatPercent(Number(margin) / Number(charged)) : formatMoney(margin)
