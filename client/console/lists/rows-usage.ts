/** The charges of the rows of a list: requested for these rows only, once each. */
import { type Accessor, createEffect, createSignal, on } from 'solid-js'
import { createLoad, queryOf, readAll } from '#client/console/load.ts'
import type { UsageReportRow } from '#shared/console/usage'

/** Ids per request. */
const atOnce = 200

/**
 * Usage of the users or keys with these ids, grouped by `by`, as a list that grows with them; undefined until some is known. `query`: the
 * period and the time zone.
 */
export function createRowsUsage(
  of: 'users' | 'keys',
  ids: Accessor<readonly string[] | undefined>,
  query: Record<string, string>,
): Accessor<UsageReportRow[] | undefined> {
  const [known, setKnown] = createSignal<{ ids: ReadonlySet<string>; rows: UsageReportRow[] }>({ ids: new Set(), rows: [] })
  const missing = () => {
    const next = ids()
      ?.filter((id) => !known().ids.has(id))
      .slice(0, atOnce)
    return next && next.length > 0 ? next.join(',') : undefined
  }
  const read = createLoad(missing, async (asked, signal) => ({
    ids: asked.split(','),
    rows: await readAll<UsageReportRow>(`/api/usage?${queryOf({ ...query, [of]: asked })}`, signal, 10_000),
  }))
  createEffect(
    on(read.value, (more) => {
      if (more) setKnown((before) => ({ ids: new Set([...before.ids, ...more.ids]), rows: [...before.rows, ...more.rows] }))
    }),
  )
  return () => (known().ids.size > 0 ? known().rows : undefined)
}
