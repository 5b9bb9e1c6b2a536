import { createSignal, onCleanup, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { asApiError, createLoad, readAll } from '#client/console/load.ts'
import { causeText, waitText } from '#client/console/rest-text.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { Segments } from '#client/ui/console/filters.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { Status } from '#client/ui/console/status.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { formatDuration } from '#client/ui/console/time.ts'
import type { ChannelRow, HealthRow } from '#shared/console/channel'
import type { ProbeAnswer } from '#shared/console/inspection/probe'
import type { Page } from '#shared/console/model'
import type { PriceRow } from '#shared/console/price'
import { t } from './messages.ts'
import { namesOf } from './model-lines.ts'
import { restedText } from './rest-text.ts'

interface TestRow {
  model: string
  state: 'idle' | 'waiting' | 'asking' | 'ok' | 'bad'
  answer?: ProbeAnswer
  problem?: string
}

/** How many models are tested at the same time. */
const atOnce = 4

/** What rests now, with its reset; and tests of every model. */
export function HealthTab(props: { row: ChannelRow }) {
  const path = () => `/api/channels/${encodeURIComponent(props.row.id)}`
  const health = createLoad(
    () => `${path()}/health`,
    (asked, signal) => callApi<Page<HealthRow>>('GET', asked, undefined, signal),
  )
  const prices = createLoad(
    () => '/api/prices',
    (asked, signal) => readAll<PriceRow>(asked, signal),
  )
  const unpriced = () => {
    const known = new Set(prices.value()?.map((price) => price.model))
    return prices.value() ? props.row.models.filter((model) => !known.has(namesOf(model).name)).length : 0
  }
  const write = createWrite()
  const reset = () => write.run(async () => health.set(await callApi<Page<HealthRow>>('POST', `${path()}/reset`)))
  return (
    <div class="stack">
      <Show when={unpriced() > 0}>
        <div class="notice warn flex flex-wrap items-center gap-3">
          <span class="min-w-0 flex-1">{t('unpriced', { count: unpriced() })}</span>
          <a class="btn" href="/admin/prices">
            {t('setPrices')}
          </a>
        </div>
      </Show>
      <Card
        title={t('rests')}
        bare
        tools={
          <Show when={(health.value()?.data.length ?? 0) > 0}>
            <Button size="sm" busy={write.busy()} onClick={() => void reset()}>
              {t('reset')}
            </Button>
          </Show>
        }
      >
        <DataTable
          label={t('rests')}
          rows={health.value()?.data}
          rowId={(row) => `${row.key} ${row.model}`}
          empty={<p class="px-4 pb-4 text-[13px] text-ink-2">{t('nothingRests')}</p>}
          columns={[
            { id: 'what', label: t('what'), card: 'title', cell: (row) => restedText(row) },
            { id: 'cause', label: t('cause'), cell: (row) => <span title={row.cause}>{causeText(row.cause)}</span> },
            { id: 'again', label: t('again'), right: true, cell: (row) => t('inTime', { time: waitText(row.retryInMs) }) },
          ]}
        />
      </Card>
      <Tests row={props.row} path={path()} />
    </div>
  )
}

function Tests(props: { row: ChannelRow; path: string }) {
  const [rows, setRows] = createSignal<TestRow[]>(props.row.models.map((model) => ({ model: namesOf(model).name, state: 'idle' })))
  const [form, setForm] = createSignal<'streamed' | 'whole'>('streamed')
  const [running, setRunning] = createSignal(false)
  let aborter = new AbortController()
  onCleanup(() => aborter.abort())
  const put = (model: string, next: Partial<TestRow>) =>
    setRows((before) => before.map((row) => (row.model === model ? { ...row, ...next } : row)))

  const ask = async (model: string, signal: AbortSignal) => {
    put(model, { state: 'asking' })
    try {
      const answer = await callApi<ProbeAnswer>('POST', `${props.path}/test`, { model, stream: form() === 'streamed' }, signal)
      put(model, { state: answer.ok ? 'ok' : 'bad', answer })
    } catch (thrown) {
      // Stop keeps what has come.
      put(model, signal.aborted ? { state: 'idle' } : { state: 'bad', problem: explain(asApiError(thrown)) })
    }
  }
  const run = async (models: readonly string[]) => {
    aborter = new AbortController()
    const { signal } = aborter
    setRunning(true)
    setRows((before) => before.map((row) => (models.includes(row.model) ? { model: row.model, state: 'waiting' } : row)))
    const left = [...models]
    const worker = async () => {
      for (let model = left.shift(); model !== undefined && !signal.aborted; model = left.shift()) await ask(model, signal)
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
    setRows((before) => before.map((row) => (row.state === 'waiting' ? { ...row, state: 'idle' } : row)))
    setRunning(false)
  }
  return (
    <Card
      title={t('tests')}
      bare
      tools={
        <>
          <Segments
            label={t('form')}
            value={form()}
            options={[
              { value: 'streamed', label: t('streamed') },
              { value: 'whole', label: t('whole') },
            ]}
            onChange={setForm}
          />
          <Show
            when={running()}
            fallback={
              <Button size="sm" icon="pulse" onClick={() => void run(rows().map((row) => row.model))}>
                {t('testAll')}
              </Button>
            }
          >
            <Button size="sm" icon="stop" onClick={() => aborter.abort()}>
              {t('stop')}
            </Button>
          </Show>
        </>
      }
    >
      <p class="hint px-4 pb-3">{t('testsHint')}</p>
      <DataTable
        label={t('tests')}
        rows={rows()}
        rowId={(row) => row.model}
        columns={[
          { id: 'model', label: t('model'), card: 'title', cell: (row) => <b class="mono">{row.model}</b> },
          { id: 'result', label: t('result'), card: 'whole', cell: (row) => <Result row={row} /> },
          {
            id: 'time',
            label: t('time'),
            right: true,
            cell: (row) => (
              <Show when={row.answer} fallback={<span class="na">–</span>}>
                {(answer) => formatDuration(answer().ms)}
              </Show>
            ),
          },
          {
            id: 'ask',
            label: t('actions'),
            bare: true,
            right: true,
            card: 'figure',
            cell: (row) => (
              <Button size="sm" aria-disabled={running() ? 'true' : undefined} onClick={() => !running() && void run([row.model])}>
                {t('testOne')}
              </Button>
            ),
          },
        ]}
      />
    </Card>
  )
}

function Result(props: { row: TestRow }) {
  const failed = () => props.row.problem ?? props.row.answer?.error?.message
  return (
    <Show when={props.row.state !== 'idle'} fallback={<span class="na">–</span>}>
      <Show
        when={props.row.state === 'ok' || props.row.state === 'bad'}
        fallback={<Status shape="live">{t(props.row.state === 'asking' ? 'asking' : 'waiting')}</Status>}
      >
        <Status shape={props.row.state === 'ok' ? 'ok' : 'bad'}>
          {props.row.answer?.status} {failed() ?? t('answered')}
        </Status>
      </Show>
    </Show>
  )
}
