import { Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import type { Load } from '#client/console/load.ts'
import { causeText, restedText, waitText } from '#client/console/rest-text.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { Failure } from '#client/ui/console/states.tsx'
import { Status } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import type { ChannelRow, HealthReset, HealthRow } from '#shared/console/channel'
import type { Page } from '#shared/console/model'
import { penalties } from './channel-columns.tsx'
import { t } from './messages.ts'
import { OutcomesCard } from './outcomes-card.tsx'

/** What rests now, with a reset; and the outcomes of each key and model in the last hour. */
export function HealthTab(props: { row: ChannelRow; health: Load<Page<HealthRow>> }) {
  const write = createWrite()
  const reset = (only?: HealthReset) =>
    write.run(async () =>
      props.health.set(await callApi<Page<HealthRow>>('POST', `/api/channels/${encodeURIComponent(props.row.id)}/reset`, only)),
    )
  const rests = () => {
    const found = props.health.value()
    return found && penalties(found.data)
  }
  return (
    <div class="stack">
      <Card
        title={t('rests')}
        note={t('restsNote')}
        bare
        tools={
          <Show when={(rests()?.length ?? 0) > 1}>
            <Button size="sm" icon="redo" busy={write.busy()} onClick={() => void reset()}>
              {t('resetEverything')}
            </Button>
          </Show>
        }
      >
        <Show when={write.error() ?? props.health.error()}>
          {(error) => (
            <div class="p-4">
              <Failure text={explain(error())} onRetry={() => void props.health.reload()} />
            </div>
          )}
        </Show>
        <DataTable
          label={t('rests')}
          rows={rests()}
          rowId={(row) => `${row.key} ${row.model}`}
          empty={<p class="px-4 pb-4 text-[13px] text-ink-2">{t('nothingRests')}</p>}
          columns={[
            { id: 'key', label: t('key'), card: 'title', cell: (row) => <b>{row.key ?? t('noKey')}</b> },
            {
              id: 'model',
              label: t('model'),
              card: 'under',
              cell: (row) => (row.model === null ? t('allModels') : <span class="mono">{row.model}</span>),
            },
            {
              id: 'state',
              label: t('status'),
              card: 'whole',
              cell: (row) => (
                <Status shape={row.state === 'half-open' ? 'warn' : 'bad'}>{t(row.state === 'half-open' ? 'careful' : 'open')}</Status>
              ),
            },
            { id: 'cause', label: t('cause'), card: 'whole', cell: (row) => <span title={row.cause}>{causeText(row.cause)}</span> },
            {
              id: 'again',
              label: t('again'),
              right: true,
              cell: (row) => (row.retryInMs <= 0 ? t('withNext') : t('inTime', { time: waitText(row.retryInMs) })),
            },
            {
              id: 'reset',
              label: t('actions'),
              bare: true,
              right: true,
              card: 'figure',
              cell: (row) => (
                <Button
                  size="sm"
                  aria-label={`${t('reset')}: ${restedText(row)}`}
                  busy={write.busy()}
                  onClick={() => void reset({ key: row.key, model: row.model })}
                >
                  {t('reset')}
                </Button>
              ),
            },
          ]}
        />
      </Card>
      <OutcomesCard row={props.row} rests={rests() ?? []} />
    </div>
  )
}
