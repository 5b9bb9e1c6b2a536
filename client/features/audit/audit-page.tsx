/** Who changed what, with what was before and after. Filters and the open row are in the address. */
import { For, Show } from 'solid-js'
import { detailOf, explain } from '#client/console/explain.ts'
import { createPages, queryOf } from '#client/console/load.ts'
import { SpanFilter, spanNames, spanOf } from '#client/console/span-filter.tsx'
import { Drawer, DrawerPart } from '#client/ui/console/drawer.tsx'
import { Facts } from '#client/ui/console/facts.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { Monogram } from '#client/ui/console/monogram.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Empty, Failure, NoMatch } from '#client/ui/console/states.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatClock, formatDay, formatExactly } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Icon } from '#client/ui/icon.tsx'
import type { AuditRow } from '#shared/console/audit'
import { en } from './en.ts'
import { t } from './messages.ts'

/** What actions can be filtered by: every kind that has its words. */
const kinds = Object.keys(en).flatMap((key) => (key.startsWith('kind_') ? [key.slice('kind_'.length)] : []))

/** `/admin/audit` */
export function AuditPage() {
  const url = useUrlState()
  const filters = ['action', 'target', 'actor'] as const
  const asked = () => ({ ...Object.fromEntries(filters.map((name) => [name, url.get(name)])), ...spanOf(url) })
  const pages = createPages<AuditRow>(() => `/api/audit?${queryOf({ limit: '50', ...asked() })}`)
  const active = () => [...filters.map((name) => url.get(name)), ...Object.values(spanOf(url)).map(formatDay)].filter(Boolean)
  const open = () => pages.value()?.find((row) => row.id === url.get('open'))
  const move = (by: number) => {
    const rows = pages.value() ?? []
    const next = rows[rows.findIndex((row) => row.id === url.get('open')) + by]
    return next && (() => url.set({ open: next.id }, { replace: true }))
  }
  const href = (row: AuditRow) => {
    const params = new URLSearchParams(location.search)
    params.set('open', row.id)
    return `/admin/audit?${params}`
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
          {(row) => <Detail row={row()} onClose={() => url.set({ open: '' })} onPrevious={move(-1)} onNext={move(1)} />}
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
        <Show when={url.get('actor')}>
          {(actor) => (
            <button type="button" class="chip on" onClick={() => url.set({ actor: '' })}>
              {t('actor')} <b>{actor()}</b>
              <Icon name="x" small />
            </button>
          )}
        </Show>
      </FilterBar>
      <Show
        when={pages.error() === undefined || pages.value()}
        fallback={
          <Show when={pages.error()}>
            {(error) => <Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void pages.reload()} />}
          </Show>
        }
      >
        <DataTable
          label={t('title')}
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
                <span class="num text-ink-2" title={formatExactly(row.at)}>
                  {formatClock(row.at)}
                </span>
              ),
            },
            {
              id: 'who',
              label: t('who'),
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
                  classList={{ 'mono text-[12px]': isId(row.targetName) }}
                  title={row.targetName ?? ''}
                >
                  {row.targetName}
                </b>
              ),
            },
            { id: 'change', label: t('change'), wide: true, card: 'whole', cell: (row) => <ChangeCell text={changeOf(row)} /> },
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
      </Show>
    </Page>
  )
}

/** What changed, in one line; the rest is in the open row. */
const ChangeCell = (props: { text: string }) => (
  <Show when={props.text}>
    <span class="block max-w-[36ch] truncate min-[1400px]:max-w-[56ch] text-ink-2" title={props.text}>
      {props.text}
    </span>
  </Show>
)

/** Whether this is an id of Parley's own, such as `req_...`, and not a name. */
const isId = (name: string | null) => /^[a-z]{2,4}_[A-Za-z0-9]{12,}$/.test(name ?? '')

/** The day of a time: today and yesterday by name. */
function dayOf(at: string): string {
  const date = new Date(at).toDateString()
  if (date === new Date().toDateString()) return t('todayOn', { day: formatDay(at) })
  return date === new Date(Date.now() - 86_400_000).toDateString() ? t('yesterday') : formatDay(at)
}

function actorOf(row: AuditRow): string {
  if (row.owner !== null) return t('keyOf', { key: row.actorName ?? row.actor, owner: row.owner.name })
  if (row.actorName !== null) return row.actorName
  const named: Record<string, string> = { file: t('file'), setup: t('setup'), environment: t('environment') }
  return named[row.actor] ?? row.actor
}

/** What was done, in words; the action's own name where there are none. */
const titleOf = ({ action }: AuditRow): string => (action in en && action.includes('.') ? t(action as keyof typeof en) : action)

/** Fields that say nothing to a reader of the list. */
const hidden = new Set(['managed', 'hint', 'digest', 'agent', 'passwordHash'])

/** The fields that changed; of something new or removed, its first short values. */
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

const pathOf = (row: AuditRow): string | undefined => {
  const id = encodeURIComponent(row.target)
  const paths: Record<string, string> = {
    key: `/keys/${id}`,
    user: `/admin/users/${id}`,
    group: `/admin/groups?open=${id}`,
    channel: `/admin/channels/${id}`,
    price: `/admin/prices?q=${id}`,
    settings: '/admin/settings',
    alertHook: `/admin/alerts?open=${id}`,
    managementKey: '/account',
    team: `/admin/teams?open=${id}`,
    member: `/admin/teams?open=${encodeURIComponent(row.target.split('.')[0] ?? '')}`,
    replay: `/replay/${id}`,
    body: `/requests/${id}`,
    plan: '/admin/selling',
    code: '/admin/selling',
    invitation: '/admin/users?tab=invitations',
  }
  return row.after === null && row.before !== null ? undefined : paths[row.action.split('.')[0] ?? '']
}

function Detail(props: { row: AuditRow; onClose(): void; onPrevious?: (() => void) | undefined; onNext?: (() => void) | undefined }) {
  const names = () => [...new Set([...Object.keys(props.row.before ?? {}), ...Object.keys(props.row.after ?? {})])]
  const text = (value: unknown) => (value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value))
  return (
    <Drawer
      label={titleOf(props.row)}
      title={titleOf(props.row)}
      onClose={props.onClose}
      onPrevious={props.onPrevious}
      onNext={props.onNext}
    >
      <DrawerPart>
        <Facts
          facts={[
            [
              t('thing'),
              <Show when={pathOf(props.row)} fallback={props.row.targetName}>
                {(path) => <a href={path()}>{props.row.targetName}</a>}
              </Show>,
            ],
            [t('action'), <span class="mono text-[12px]">{props.row.action}</span>],
            [t('who'), actorOf(props.row)],
            [t('when'), formatExactly(props.row.at)],
            [t('request'), props.row.requestId && <span class="mono text-[12px]">{props.row.requestId}</span>],
          ]}
        />
      </DrawerPart>
      <DrawerPart title={t('change')} note={t('fields', { count: names().length })}>
        <dl class="grid gap-3 text-[13px]">
          <For each={names()}>
            {(name) => (
              <div>
                <dt class="mono text-[12px] text-ink-3">{name}</dt>
                <Show when={props.row.before}>
                  {(before) => <dd class="wrap-anywhere text-ink-3 line-through">{text(before()[name])}</dd>}
                </Show>
                <Show when={props.row.after}>{(after) => <dd class="wrap-anywhere">{text(after()[name])}</dd>}</Show>
              </div>
            )}
          </For>
        </dl>
      </DrawerPart>
    </Drawer>
  )
}
