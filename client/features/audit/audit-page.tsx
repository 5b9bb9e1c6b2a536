/** The audit trail: who changed what, with the values before and after. Filters and the open row are in the URL. */
import { Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { SpanFilter, spanNames, spanOf } from '#client/console/lists/span-filter.tsx'
import { createLoad, createPages, queryOf } from '#client/console/load.ts'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { Monogram } from '#client/ui/console/monogram.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Empty, NoMatch } from '#client/ui/console/states.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatClock, formatDay } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { isoDay } from '#client/ui/time-zone.ts'
import type { AuditRow } from '#shared/console/audit'
import type { Page as PageOf } from '#shared/console/model'
import { AuditDetail } from './audit-detail.tsx'
import { namedText, targetNameOf } from './audit-names.ts'
import { actorOf, titleOf } from './audit-words.ts'
import { en } from './en.ts'
import { t } from './messages.ts'

/** The kinds for the action filter: all that have a translation. */
const kinds = Object.keys(en).flatMap((key) => (key.startsWith('kind_') ? [key.slice('kind_'.length)] : []))

/** `/admin/audit` */
export function AuditPage() {
  const url = useUrlState()
  const filters = ['action', 'target', 'actor'] as const
  const asked = () => ({ ...Object.fromEntries(filters.map((name) => [name, url.get(name)])), ...spanOf(url) })
  const pages = createPages<AuditRow>(() => `/api/audit?${queryOf({ limit: '50', ...asked() })}`)
  const actorText = () => actors().find(({ value }) => value === url.get('actor'))?.label ?? url.get('actor')
  const active = () =>
    [url.get('action'), url.get('target'), url.get('actor') && actorText(), ...Object.values(spanOf(url)).map(formatDay)].filter(Boolean)
  const open = () => pages.value()?.find((row) => row.id === url.get('open'))
  const move = (by: number) => {
    const rows = pages.value() ?? []
    const next = rows[rows.findIndex((row) => row.id === url.get('open')) + by]
    return next && (() => url.set({ open: next.id }, { replace: true }))
  }
  const href = (row: AuditRow) => url.href({ open: row.id })
  const users = createLoad(
    () => '/api/users?limit=200',
    (path, signal) => callApi<PageOf<{ id: string; name: string }>>('GET', path, undefined, signal),
  )
  /** Users, and the other actors: parley.yaml, the setup. A key that acted is chosen from its row. */
  const actors = () => {
    const others = (['file', 'setup', 'environment'] as const).map((value) => ({ value, label: t(value) }))
    const people = users.value()?.data.map(({ id, name }) => ({ value: id, label: name })) ?? []
    const row = pages.value()?.find(({ actor }) => actor === url.get('actor'))
    const known = [...people, ...others]
    return row && !known.some(({ value }) => value === row.actor) ? [...known, { value: row.actor, label: actorOf(row) }] : known
  }
  return (
    <Page
      title={t('title')}
      actions={
        <a class="btn ghost" href={`/api/audit?${queryOf({ ...asked(), format: 'csv' })}`} download="audit.csv" rel="external">
          <Icon name="download" />
          {t('csv')}
        </a>
      }
      aside={
        <Show when={open()}>
          {(row) => <AuditDetail row={row()} onClose={() => url.set({ open: '' })} onPrevious={move(-1)} onNext={move(1)} />}
        </Show>
      }
    >
      <FilterBar>
        <SearchField label={t('nameOrId')} value={url.get('target')} onSearch={(target) => url.set({ target }, { replace: true })} />
        <SpanFilter url={url} />
        <FilterChip
          label={t('action')}
          value={url.get('action')}
          options={kinds.map((value) => ({ value, label: t(`kind_${value}` as 'kind_key') }))}
          onChange={(action) => url.set({ action })}
        />
        <FilterChip label={t('who')} value={url.get('actor')} options={actors()} onChange={(actor) => url.set({ actor })} />
      </FilterBar>
      <Loaded of={pages}>
        <DataTable
          label={t('title')}
          view="audit"
          rows={pages.value()}
          rowId={(row) => row.id}
          stale={pages.loading()}
          selected={url.get('open')}
          heading={(row) => dayOf(row.at)}
          columns={[
            {
              id: 'when',
              label: t('when'),
              card: 'figure',
              cell: (row) => (
                <span class="text-ink-2">
                  <Instant at={row.at} text={formatClock(row.at)} />
                </span>
              ),
            },
            {
              id: 'who',
              label: t('who'),
              inDrawer: true,
              card: 'under',
              cell: (row) => (
                <button
                  type="button"
                  class="inline-flex items-center gap-2 text-left hover:text-accent"
                  onClick={() => url.set({ actor: row.actor })}
                >
                  <Monogram name={row.actorName ?? row.actor} />
                  {actorOf(row)}
                </button>
              ),
            },
            { id: 'what', label: t('what'), card: 'title', cell: (row) => <a href={href(row)}>{titleOf(row)}</a> },
            {
              id: 'thing',
              label: t('thing'),
              card: 'whole',
              cell: (row) => (
                <b
                  class="block max-w-[30ch] truncate max-[759px]:max-w-none"
                  classList={{ 'mono text-[12px]': isId(targetNameOf(row)) }}
                  title={row.targetName === row.target ? row.target : `${row.targetName} (${row.target})`}
                >
                  {targetNameOf(row)}
                </b>
              ),
            },
            {
              id: 'change',
              label: t('change'),
              wide: true,
              card: 'whole',
              cell: (row) => <ChangeCell text={changeOf(row)} names={row.names} />,
            },
          ]}
          empty={
            <Show when={active().length > 0} fallback={<Empty title={t('empty')}>{t('emptyWhy')}</Empty>}>
              <NoMatch
                filters={active().join(', ')}
                onClear={() => url.set(Object.fromEntries([...filters, ...spanNames].map((name) => [name, ''])))}
              />
            </Show>
          }
          foot={t('shown', { count: pages.value()?.length ?? 0 })}
          footEnd={t('append')}
          more={pages.more()}
        />
      </Loaded>
    </Page>
  )
}

/** What changed, in one line; the rest is in the open row. */
const ChangeCell = (props: { text: string; names: AuditRow['names'] }) => (
  <Show when={props.text}>
    <span class="block max-w-[36ch] truncate min-[1400px]:max-w-[56ch] text-ink-2" title={namedText(props.text, props.names, true)}>
      {namedText(props.text, props.names)}
    </span>
  </Show>
)

/** Whether this is a Parley id, such as `req_...`, and not a name. */
const isId = (name: string) => /^([a-z]{2,5}_[A-Za-z0-9]{12,}|[0-9a-f]{24})$/.test(name)

/** The day of a time: today and yesterday by name. */
function dayOf(at: string): string {
  const day = isoDay(new Date(at))
  if (day === isoDay(new Date())) return t('todayOn', { day: formatDay(at) })
  return day === isoDay(new Date(Date.now() - 86_400_000)) ? t('yesterday') : formatDay(at)
}

/** Fields that are not useful in the list. */
const hidden = new Set(['managed', 'hint', 'digest', 'agent', 'passwordHash'])

/** The changed fields; for something new or removed, its first short values. */
function changeOf(row: AuditRow): string {
  if (row.before !== null && row.after !== null) return Object.keys(row.after).join(', ')
  const told = Object.entries(row.after ?? row.before ?? {}).flatMap(([name, value]) =>
    !hidden.has(name) &&
    ((typeof value === 'string' && value !== '' && value.length <= 40 && value !== row.targetName) || typeof value === 'number')
      ? [`${name} ${value}`]
      : [],
  )
  return told.slice(0, 3).join(', ')
}
