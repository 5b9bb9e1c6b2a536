/** Deliveries of alerts with their outcome; those given up can be retried. */
import { createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import type { Pages } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip } from '#client/ui/console/filters.tsx'
import { Empty, NoMatch, Refusal } from '#client/ui/console/states.tsx'
import { type Shape, Status } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatWhen } from '#client/ui/console/time.ts'
import { Instant } from '#client/ui/console/view/instant.tsx'
import { showToast } from '#client/ui/toast.tsx'
import { type AlertDeliveryRow, type DeliveryState, deliveryStates } from '#shared/console/alert'
import { t } from './messages.ts'
import { sentenceOf } from './sentence.ts'

const shapes: Record<DeliveryState, Shape> = { waiting: 'warn', sent: 'ok', dead: 'bad' }

/** The table of deliveries, filtered by `state`; empty means all. */
export function Deliveries(props: { pages: Pages<AlertDeliveryRow>; state: string; onState(state: string): void }) {
  const [retrying, setRetrying] = createSignal<string>()
  const write = createWrite()
  const retry = async (row: AlertDeliveryRow) => {
    if (write.busy()) return
    setRetrying(row.id)
    if (await write.run(() => callApi('POST', `/api/alerts/${encodeURIComponent(row.id)}/retry`))) showToast(t('retried'))
    setRetrying(undefined)
    void props.pages.reload()
  }
  const [pausing, setPausing] = createSignal<string>()
  const pause = async (row: AlertDeliveryRow) => {
    const { subject } = row.data
    if (write.busy() || subject === null) return
    setPausing(row.id)
    const off = () => callApi('PATCH', `/api/keys/${encodeURIComponent(subject.id)}`, { enabled: false })
    if (await write.run(off)) showToast(t('paused', { name: subject.name }))
    setPausing(undefined)
  }
  return (
    <>
      <h2 class="mt-6 mb-2 text-[14px]/[20px] font-semibold">{t('deliveries')}</h2>
      <FilterBar>
        <FilterChip
          label={t('state')}
          value={props.state}
          options={deliveryStates.map((value) => ({ value, label: t(`state_${value}`) }))}
          onChange={props.onState}
        />
      </FilterBar>
      <Refusal of={write} class="mb-4" />
      <DataTable
        label={t('deliveries')}
        rows={props.pages.value()}
        rowId={(row) => row.id}
        stale={props.pages.loading()}
        columns={[
          {
            id: 'when',
            label: t('when'),
            card: 'figure',
            cell: (row) => (
              <span class="text-ink-2">
                <Instant at={row.at} />
              </span>
            ),
          },
          {
            id: 'what',
            label: t('what'),
            card: 'title',
            cell: (row) => (
              <>
                <Show when={pathOf(row)} fallback={<b>{t(`kind_${row.kind}`)}</b>}>
                  {(path) => <a href={path()}>{t(`kind_${row.kind}`)}</a>}
                </Show>
                <Show
                  when={sentenceOf(row)}
                  fallback={
                    <small lang="en" class="whitespace-normal">
                      {row.data.text}
                    </small>
                  }
                >
                  {(sentence) => <small class="whitespace-normal">{sentence()}</small>}
                </Show>
              </>
            ),
          },
          { id: 'place', label: t('place'), cell: (row) => row.hook.name },
          { id: 'state', label: t('state'), cell: (row) => <Status shape={shapes[row.state]}>{t(`state_${row.state}`)}</Status> },
          {
            id: 'answer',
            label: t('answer'),
            wide: true,
            cell: (row) => (
              <span class="min-w-0">
                <span class="text-ink-2">{row.answer ?? '–'}</span>
                <small>
                  {t('tries', { count: row.tries })}
                  <Show when={row.nextTryAt}>{(at) => `, ${t('nextTry', { when: formatWhen(at(), true) })}`}</Show>
                </small>
              </span>
            ),
          },
          {
            id: 'actions',
            label: t('actions'),
            bare: true,
            right: true,
            card: 'whole',
            cell: (row) => (
              <>
                <Show when={row.kind === 'key_spend' && row.data.subject}>
                  {(key) => (
                    <Button
                      size="sm"
                      aria-label={t('pauseOf', { name: key().name })}
                      busy={pausing() === row.id}
                      onClick={() => void pause(row)}
                    >
                      {t('pause')}
                    </Button>
                  )}
                </Show>
                <Show when={row.state === 'dead'}>
                  <Button
                    size="sm"
                    aria-label={t('retryOf', { what: t(`kind_${row.kind}`), name: row.hook.name })}
                    busy={retrying() === row.id}
                    onClick={() => void retry(row)}
                  >
                    {t('retry')}
                  </Button>
                </Show>
              </>
            ),
          },
        ]}
        empty={
          <Show when={props.state} fallback={<Empty title={t('none')}>{t('noneWhy')}</Empty>}>
            <NoMatch filters={t(`state_${props.state as DeliveryState}`)} onClear={() => props.onState('')} />
          </Show>
        }
        foot={t('shown', { count: props.pages.value()?.length ?? 0 })}
        footEnd={t('kept')}
        more={props.pages.more()}
      />
    </>
  )
}

/** The page of an alert as a path of this console, whatever host name the alert's link has. */
function pathOf({ data }: AlertDeliveryRow): string | undefined {
  const link = data.link === null ? null : URL.parse(data.link)
  return link === null ? undefined : link.pathname + link.search
}
