/** The date filter of a list: the last days, or from one date to another. Kept in the URL. */
import { Show } from 'solid-js'
import { ts } from '#client/console/messages.ts'
import { FilterChip } from '#client/ui/console/filters.tsx'
import type { UrlState } from '#client/ui/console/url-state.ts'
import { dayOf as calendarDay, midnightOf } from '#client/ui/time-zone.ts'

const presets = ['1', '7', '30'] as const

/** The URL parameters of the span. */
export const spanNames = ['days', 'from', 'to'] as const

/** Local midnight of a date such as 2026-03-01, plus `later` days; undefined for anything else. */
function midnight(date: string, later = 0): Date | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date) ?? []
  return year === undefined ? undefined : midnightOf(Number(year), Number(month) - 1, Number(day) + later)
}

/** `from` and `to` for the API. Days begin at local midnight; the last one is included. */
export function spanOf(url: UrlState, now = new Date()): { from?: string; to?: string } {
  const days = presets.find((one) => one === url.get('days'))
  if (days !== undefined) {
    const [year, month, today] = calendarDay(now)
    return { from: midnightOf(year, month, today + 1 - Number(days)).toISOString() }
  }
  const [from, to] = [midnight(url.get('from')), midnight(url.get('to'), 1)]
  return { ...(from && { from: from.toISOString() }), ...(to && { to: to.toISOString() }) }
}

/** `from` and `to` of one day. */
export function dayOf(date: string): { from?: string; to?: string } {
  const [from, to] = [midnight(date), midnight(date, 1)]
  return from && to ? { from: from.toISOString(), to: to.toISOString() } : {}
}

/** A chip with preset spans, and two date fields for custom dates. */
export function SpanFilter(props: { url: UrlState }) {
  const { url } = props
  const byDate = () => url.get('days') === 'dates' || url.get('from') !== '' || url.get('to') !== ''
  return (
    <>
      <FilterChip
        label={ts('span')}
        icon="clock"
        none={ts('spanAll')}
        value={byDate() ? 'dates' : url.get('days')}
        options={[...presets.map((value) => ({ value, label: ts(`span${value}`) })), { value: 'dates', label: ts('spanDates') }]}
        onChange={(days) => url.set({ days, from: '', to: '' })}
      />
      <Show when={byDate()}>
        <SpanDates url={url} />
      </Show>
    </>
  )
}

/** The two dates between which rows are shown. */
export function SpanDates(props: { url: UrlState }) {
  const { url } = props
  return (
    <>
      <input
        class="in quiet w-auto!"
        type="date"
        aria-label={ts('spanFrom')}
        max={url.get('to')}
        value={url.get('from')}
        onChange={(event) => url.set({ days: 'dates', from: event.currentTarget.value })}
      />
      <input
        class="in quiet w-auto!"
        type="date"
        aria-label={ts('spanTo')}
        min={url.get('from')}
        value={url.get('to')}
        onChange={(event) => url.set({ days: 'dates', to: event.currentTarget.value })}
      />
    </>
  )
}
