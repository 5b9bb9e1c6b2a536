import { Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { ts } from '#client/console/messages.ts'
import { CardFailure } from '#client/console/when-loaded.tsx'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatAgo } from '#client/ui/console/time.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { SessionRow } from '#shared/console/session'
import { Ago } from './ago.tsx'

/**
 * The sessions of one user, which can be ended one by one or all but the current one. `path`: the list endpoint; `/{id}` below it ends one.
 * `none`: the text shown when there are none.
 */
export function SessionsCard(props: { path: string; title: string; none?: string }) {
  const sessions = createLoad(
    () => props.path,
    (path, signal) => readAll<SessionRow>(path, signal),
  )
  const write = createWrite()
  const others = () => sessions.value()?.filter((row) => !row.current) ?? []
  // Another user's sessions: the current one is not among them.
  const isOthers = () => others().length === sessions.value()?.length
  const end = async (rows: readonly SessionRow[], text: string) => {
    const done = await write.run(async () => {
      for (const { id } of rows) await callApi('DELETE', `${props.path}/${encodeURIComponent(id)}`)
    })
    if (done) showToast(text)
    void sessions.reload()
  }
  return (
    <Card
      title={props.title}
      bare
      tools={
        <Show when={others().length > 0}>
          <Button size="sm" busy={write.busy()} onClick={() => void end(others(), ts(isOthers() ? 'ses_endedEvery' : 'ses_endedAll'))}>
            {ts(isOthers() ? 'ses_endEvery' : 'ses_endAll')}
          </Button>
        </Show>
      }
    >
      <CardFailure of={sessions} write={write} />
      <DataTable
        label={props.title}
        rows={sessions.value()}
        empty={<p class="p-4 text-[13px] text-ink-2">{props.none}</p>}
        rowId={(row) => row.id}
        columns={[
          {
            id: 'session',
            label: ts('ses_session'),
            card: 'title',
            cell: (row) => (
              <span class="block max-w-[320px] truncate" title={row.agent ?? ''}>
                {programOf(row.agent)}
              </span>
            ),
          },
          {
            id: 'address',
            label: ts('ses_address'),
            cell: (row) => (row.address ? <span class="mono text-[12px]">{row.address}</span> : <span class="na">–</span>),
          },
          { id: 'started', label: ts('ses_started'), cell: (row) => <Instant at={row.at} /> },
          { id: 'seen', label: ts('ses_seen'), cell: (row) => <Ago at={row.lastSeenAt} /> },
          {
            id: 'end',
            label: ts('ses_end'),
            bare: true,
            right: true,
            card: 'figure',
            cell: (row) => (
              <Show when={!row.current} fallback={<span class="bdg accent">{ts('ses_here')}</span>}>
                <Button
                  size="sm"
                  aria-label={ts('ses_endOf', { name: programOf(row.agent), when: formatAgo(row.lastSeenAt) })}
                  onClick={() => void end([row], ts('ses_ended'))}
                >
                  {ts('ses_end')}
                </Button>
              </Show>
            ),
          },
        ]}
      />
    </Card>
  )
}

/** The common names of the browser and the system of a User-Agent. */
export function programOf(agent: string | null): string {
  if (agent === null) return ts('ses_unknown')
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)[/\d.]*/.exec(agent)?.[1]
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1]
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' }
  const named = [browser, system].flatMap((name) => (name === undefined ? [] : [names[name] ?? name]))
  return named.length > 0 ? named.join(', ') : agent
}
