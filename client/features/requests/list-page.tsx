/** All requests that the user may see, newest first and live; one can be open beside the list. */
import { useNavigate } from '@solidjs/router'
import { createEffect, createMemo, createSignal, For, on, Show, Suspense } from 'solid-js'
import { onChange } from '#client/api/events.ts'
import { callApi } from '#client/api/http.ts'
import { useSession } from '#client/api/session.ts'
import { Loaded } from '#client/console/lists/loaded.tsx'
import { createLoad, createPages } from '#client/console/load.ts'
import { createSoon } from '#client/console/soon.ts'
import { createMediaQuery } from '#client/ui/browser-state.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField } from '#client/ui/console/filters.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { BulkBar, createPicks } from '#client/ui/console/picks.tsx'
import { Empty, NoMatch } from '#client/ui/console/states.tsx'
import { Status } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatWhen } from '#client/ui/console/time.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'
import type { LogRow } from '#shared/console/log'
import type { Page as ApiPage } from '#shared/console/model'
import { createColumnChoice } from './column-choice.ts'
import { ExportChip } from './export-chip.tsx'
import { createLiveRows } from './live-rows.ts'
import { t } from './messages.ts'
import { requestColumns } from './request-columns.tsx'
import { RequestDrawer } from './request-drawer.tsx'
import {
  type FilterName,
  filterNames,
  isRequestId,
  listPath,
  type Range,
  rangeOf,
  ranges,
  type SpanName,
  spanNames,
} from './request-filters.ts'

const ColumnDialog = later(async () => (await import('./column-dialog.tsx')).ColumnDialog)
const FilterDialog = later(async () => (await import('./filter-dialog.tsx')).FilterDialog)
/** Minimum milliseconds between two loads of the newest rows. */
const leastMs = 500

/** `/requests` */
export function RequestsPage() {
  const { admin } = useSession()
  const url = useUrlState()
  const navigate = useNavigate()
  const wide = createMediaQuery('(min-width: 1440px)')
  const [live, setLive] = createSignal(true)
  const [filtering, setFiltering] = createSignal(false)
  const [choosing, setChoosing] = createSignal(false)
  const [columns, setColumns] = createColumnChoice()
  const path = createMemo(() => listPath(url, Date.now()))
  const pages = createPages<LogRow>(path)
  const news = createLiveRows(requestAnimationFrame)
  createEffect(on(path, () => news.clear()))
  const rows = createMemo(() => {
    const known = pages.value()
    if (known === undefined || news.gap()) return known && news.rows()
    const ids = new Set(known.map((row) => row.requestId))
    return [...news.rows().filter((row) => !ids.has(row.requestId)), ...known]
  })
  /** Drops the live rows and reloads the list, older rows included. */
  const readAgain = () => {
    news.clear()
    void pages.reload()
  }

  const picks = createPicks(
    () => rows() ?? [],
    (row) => row.requestId,
    (row) => row.requestId,
  )
  let looking = false
  const look = async () => {
    if (!live() || looking || document.hidden || pages.value() === undefined || url.get('to') !== '') return
    looking = true
    try {
      const found = await callApi<ApiPage<LogRow>>('GET', path().replace('limit=50', 'limit=200'))
      news.take(found.data, new Set(rows()?.map((row) => row.requestId)))
    } catch {
      // The next load retries; the shown rows stay.
    } finally {
      looking = false
    }
  }
  const lookSoon = createSoon(leastMs, () => void look())
  onChange(['requests'], lookSoon)
  createEffect(on(live, (on) => on && lookSoon(), { defer: true }))

  const open = () => url.get('open')
  const narrow = () => open() !== '' && wide()
  const at = () => rows()?.findIndex((row) => row.requestId === open()) ?? -1
  const move = (by: number) => {
    const next = rows()?.[at() + by]
    return next === undefined || at() < 0 ? undefined : () => url.set({ open: next.requestId }, { replace: true })
  }

  const allNames = [...filterNames, ...spanNames]
  const active = () => allNames.filter((name) => url.get(name) !== '')
  const clear = () => url.set(Object.fromEntries(active().map((name) => [name, ''])))
  const shownValue = (name: FilterName | SpanName) => {
    const value = url.get(name)
    if (name === 'from' || name === 'to') return formatWhen(value)
    if (name === 'end') return t(`end_${value}` as 'end_complete')
    return value === 'true' ? t('yes') : value === 'false' ? t('no') : value
  }
  const rangeLabel = (range: Range) => t(range === 'all' ? 'rangeAll' : `range${range}`)
  /** A description of the active filters. */
  const shown = () => {
    const range = rangeOf(url)
    return [range && rangeLabel(range), ...active().map((name) => `${t(name)} ${shownValue(name)}`)].filter(Boolean).join(', ')
  }
  /** Whether only the default range applies: it hides something only if there are older requests. */
  const isUsual = () => active().length === 0 && rangeOf(url) === '24h'
  const older = createLoad(
    () => (isUsual() && rows()?.length === 0 ? '/api/logs?limit=1' : undefined),
    (all, signal) => callApi<ApiPage<LogRow>>('GET', all, undefined, signal),
  )
  const hides = () => (isUsual() ? (older.value()?.data.length ?? 0) > 0 : active().length > 0 || url.get('range') !== 'all')
  const find = (text: string) => {
    if (isRequestId(text)) navigate(`/requests/${encodeURIComponent(text)}`)
    else url.set({ errorText: text }, { replace: true })
  }
  const href = (row: LogRow) => url.href({ open: row.requestId })

  return (
    <Page
      title={t('title')}
      actions={
        <>
          <span class="text-[13px] max-[759px]:hidden">
            <Status shape={live() ? 'live' : 'off'}>{live() ? t('live') : t('paused')}</Status>
          </span>
          <Button icon={live() ? 'pause' : 'play'} aria-pressed={!live()} onClick={() => setLive(!live())}>
            {live() ? t('pause') : t('resume')}
          </Button>
        </>
      }
      aside={
        <Show when={open()}>
          {(id) => <RequestDrawer id={id()} onClose={() => url.set({ open: '' })} onPrevious={move(-1)} onNext={move(1)} />}
        </Show>
      }
    >
      <Show
        when={picks.rows().length === 0}
        fallback={
          <BulkBar picks={picks}>
            <a
              class="btn primary"
              href={`/replay?requests=${picks
                .rows()
                .map((row) => row.requestId)
                .slice(0, 200)
                .join(',')}`}
            >
              <Icon name="redo" />
              {t('replay')}
            </a>
          </BulkBar>
        }
      >
        <FilterBar>
          <SearchField label={t('find')} value={url.get('errorText')} onSearch={find} />
          <FilterChip
            label={t('range')}
            icon="clock"
            none={rangeLabel('24h')}
            value={rangeOf(url) === '24h' ? '' : (rangeOf(url) ?? 'clock')}
            options={[
              ...[...Object.keys(ranges).filter((range) => range !== '24h'), 'all'].map((value) => ({
                value,
                label: rangeLabel(value as Range),
              })),
              ...(rangeOf(url) === undefined ? [{ value: 'clock', label: t('rangeClock') }] : []),
            ]}
            onChange={(range) => range !== 'clock' && url.set({ range, from: '', to: '' })}
          />
          <For each={active()}>
            {(name) => (
              <button
                type="button"
                class="chip on"
                aria-label={`${t(name)} ${shownValue(name)}, ×`}
                onClick={() => url.set({ [name]: '' })}
              >
                {t(name)} <b>{shownValue(name)}</b>
                <Icon name="x" small />
              </button>
            )}
          </For>
          <button type="button" class="chip border-dashed" onClick={() => setFiltering(true)}>
            <Icon name="plus" small />
            {t('filter')}
          </button>
          <ExportChip query={path().split('?')[1] ?? ''} />
          {/* On phones and beside a drawer the columns are fixed. */}
          <Show when={!narrow()}>
            <button type="button" class="chip border-dashed max-[759px]:hidden" onClick={() => setChoosing(true)}>
              <Icon name="columns" small />
              {t('columns')}
            </button>
          </Show>
        </FilterBar>
      </Show>
      <Loaded of={pages}>
        <DataTable
          label={t('title')}
          columns={[...(narrow() ? [] : [picks.column]), ...requestColumns({ admin: admin(), narrow: narrow(), chosen: columns(), href })]}
          rows={rows()}
          rowId={(row) => row.requestId}
          rowPx={36}
          stale={pages.loading()}
          selected={open()}
          empty={
            <Show
              when={hides()}
              fallback={
                <Empty
                  title={t('empty')}
                  action={
                    <a class="btn primary" href="/keys">
                      {t('emptyGo')}
                    </a>
                  }
                >
                  {t('emptyWhy')}
                </Empty>
              }
            >
              <NoMatch
                filters={shown()}
                onClear={() => {
                  clear()
                  url.set({ range: 'all' })
                }}
              />
            </Show>
          }
          foot={news.gap() ? t('newestOnly', { count: rows()?.length ?? 0 }) : t('shown', { count: rows()?.length ?? 0 })}
          footEnd={t('newest')}
          more={news.gap() ? { read: readAgain, busy: pages.loading() } : pages.more()}
        />
      </Loaded>
      <Suspense>
        <Show when={choosing()}>
          <ColumnDialog admin={admin()} value={columns()} onChange={setColumns} onClose={() => setChoosing(false)} />
        </Show>
        <Show when={filtering()}>
          <FilterDialog
            value={Object.fromEntries(allNames.map((name) => [name, url.get(name)])) as Record<FilterName | SpanName, string>}
            onClose={() => setFiltering(false)}
            onApply={(value) => {
              setFiltering(false)
              url.set(value)
            }}
          />
        </Show>
      </Suspense>
    </Page>
  )
}
