import { Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { detailOf, explain } from '#client/console/explain.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { Failure } from '#client/ui/console/states.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatAgo, formatWhen } from '#client/ui/console/time.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { SessionRow } from '#shared/console/session'
import { t } from './messages.ts'

/** One's own sessions, which can be ended singly or all but this one. */
export function SessionsCard() {
  const sessions = createLoad(
    () => '/api/sessions',
    (path, signal) => readAll<SessionRow>(path, signal),
  )
  const write = createWrite()
  const others = () => sessions.value()?.filter((row) => !row.current) ?? []
  const end = async (rows: readonly SessionRow[], text: string) => {
    const done = await write.run(async () => {
      for (const { id } of rows) await callApi('DELETE', `/api/sessions/${encodeURIComponent(id)}`)
    })
    if (done) showToast(text)
    void sessions.reload()
  }
  return (
    <Card
      title={t('sessions')}
      bare
      tools={
        <Show when={others().length > 0}>
          <Button size="sm" busy={write.busy()} onClick={() => void end(others(), t('endedAll'))}>
            {t('endAll')}
          </Button>
        </Show>
      }
    >
      <Show when={write.error() ?? sessions.error()}>
        {(error) => (
          <div class="p-4">
            <Failure text={explain(error())} detail={detailOf(error())} onRetry={() => void sessions.reload()} />
          </div>
        )}
      </Show>
      <DataTable
        label={t('sessions')}
        rows={sessions.value()}
        rowId={(row) => row.id}
        columns={[
          {
            id: 'session',
            label: t('session'),
            card: 'title',
            cell: (row) => (
              <span class="block max-w-[320px] truncate" title={row.agent ?? ''}>
                {programOf(row.agent)}
              </span>
            ),
          },
          {
            id: 'address',
            label: t('address'),
            cell: (row) => (row.address ? <span class="mono text-[12px]">{row.address}</span> : <span class="na">–</span>),
          },
          { id: 'started', label: t('started'), cell: (row) => formatWhen(row.at) },
          { id: 'seen', label: t('seen'), cell: (row) => formatAgo(row.lastSeenAt) },
          {
            id: 'end',
            label: t('end'),
            bare: true,
            right: true,
            card: 'figure',
            cell: (row) => (
              <Show when={!row.current} fallback={<span class="bdg accent">{t('here')}</span>}>
                <Button
                  size="sm"
                  aria-label={t('endOf', { name: programOf(row.agent), when: formatAgo(row.lastSeenAt) })}
                  onClick={() => void end([row], t('ended'))}
                >
                  {t('end')}
                </Button>
              </Show>
            ),
          },
        ]}
      />
    </Card>
  )
}

/** The browser and the system of a User-Agent, as people call them. */
export function programOf(agent: string | null): string {
  if (agent === null) return t('unknown')
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)[/\d.]*/.exec(agent)?.[1]
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1]
  const names: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', 'Mac OS X': 'macOS' }
  const named = [browser, system].flatMap((name) => (name === undefined ? [] : [names[name] ?? name]))
  return named.length > 0 ? named.join(', ') : agent
}
