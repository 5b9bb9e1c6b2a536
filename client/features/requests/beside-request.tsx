/** Buttons and keys for moving from a request's page to the adjacent ones in the list. */
import { useLocation, useNavigate, useParams } from '@solidjs/router'
import { onCleanup } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad, queryOf, readAll } from '#client/console/load.ts'
import { IconButton } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { useUrlState } from '#client/ui/console/url-state.ts'
import type { LogRow } from '#shared/console/log'
import { newerThan, olderThan, type Place, type ReadRows } from './near-requests.ts'
import { filterNames } from './request-filters.ts'

/** Elements in which these keys have a meaning of their own. */
const takesArrows = 'input, textarea, select, pre, [tabindex="0"], [role=tab], [role=radio], [role=dialog], [role=menu]'

/** Previous is the newer request, next the older one, as in the list with the URL's filters. Left and right keys: up and down scroll. */
export function BesideRequest(props: { row: LogRow }) {
  const url = useUrlState()
  const navigate = useNavigate()
  const location = useLocation()
  const params = useParams<{ id: string }>()
  const near = createLoad(
    () => ({ row: props.row, filters: Object.fromEntries(filterNames.map((name) => [name, url.get(name)])) }),
    ({ row, filters }, signal) => readNear(row, filters, signal),
  )
  /** Undefined while the request, or its neighbours, are loading. */
  const beside = () => (near.value()?.of === params.id ? near.value() : undefined)
  const go = (id: string | undefined) =>
    id !== undefined && navigate(`/requests/${encodeURIComponent(id)}${location.search}`, { replace: true })
  const press = (event: KeyboardEvent) => {
    const isTaken = event.target instanceof Element && event.target.closest(takesArrows) !== null
    if (event.defaultPrevented || isTaken || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    if (document.querySelector('[role=dialog]:not([data-closed]), [role=menu]')) return
    if (event.key === 'ArrowLeft') go(beside()?.newer)
    else if (event.key === 'ArrowRight') go(beside()?.older)
  }
  addEventListener('keydown', press)
  onCleanup(() => removeEventListener('keydown', press))
  const button = (name: 'up' | 'down', label: string, key: string, id: () => string | undefined) => (
    <IconButton
      name={name}
      label={label}
      aria-keyshortcuts={key}
      aria-disabled={id() === undefined ? 'true' : undefined}
      onClick={() => go(id())}
    />
  )
  return (
    <>
      {button('up', tc('previous'), 'ArrowLeft', () => beside()?.newer)}
      {button('down', tc('next'), 'ArrowRight', () => beside()?.older)}
    </>
  )
}

/** The ids of the next newer and the next older request that match the filters. Throws ApiError. */
async function readNear(row: Place, filters: Record<string, string>, signal: AbortSignal) {
  const read: ReadRows = async ({ from, to, limit }) => {
    const span = { ...(from !== undefined && { from: new Date(from).toISOString() }), to: new Date(to).toISOString() }
    const path = `/api/logs?${queryOf({ ...filters, ...span, ...(limit !== undefined && { limit: String(limit) }) })}`
    return limit === undefined ? { data: await readAll<LogRow>(path, signal), next: null } : callApi('GET', path, undefined, signal)
  }
  const [newer, older] = await Promise.all([newerThan(row, read, Date.now()), olderThan(row, read)])
  return { of: row.requestId, newer, older }
}
