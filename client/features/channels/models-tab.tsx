import { createEffect, createMemo, createSignal, Show, Suspense, untrack } from 'solid-js'
import { noLongerNeeded } from '#client/api/abort-reason.ts'
import { callApi } from '#client/api/http.ts'
import { capableText } from '#client/console/capable.ts'
import { createLoad, readAll } from '#client/console/load.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { FilterBar, FilterChip, SearchField, Segments } from '#client/ui/console/filters.tsx'
import { SaveBar } from '#client/ui/console/save-bar.tsx'
import { NoMatch } from '#client/ui/console/states.tsx'
import { DataTable } from '#client/ui/console/table.tsx'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelRow } from '#shared/console/channel'
import type { UpstreamModels } from '#shared/console/inspection/probe'
import type { CapabilityRow } from '#shared/console/model'
import type { PriceRow } from '#shared/console/price'
import { t } from './messages.ts'
import { changeTexts, reviewLines } from './model-changes.ts'
import { modelColumns } from './model-columns.tsx'
import { namesOf } from './model-lines.ts'
import { ModelNotes } from './model-notes.tsx'
import {
  adding,
  draftOf,
  found,
  type LineKind,
  linesOfDraft,
  type ModelLine,
  offeredOf,
  offering,
  removing,
  renaming,
} from './model-rows.ts'
import { createTests } from './testing/tests.ts'

const TestDetailDialog = later(async () => (await import('./testing/detail-dialog.tsx')).TestDetailDialog)

const AddModelsDialog = later(async () => (await import('./model-dialogs.tsx')).AddModelsDialog)
const ModelNamesDialog = later(async () => (await import('./model-dialogs.tsx')).ModelNamesDialog)

/** The models of a channel: names, the upstream's list, prices, and tests. `tests`: tests all of them, once. */
export function ModelsTab(props: { row: ChannelRow; tests: boolean; onTests(): void; onSaved(row: ChannelRow): void }) {
  const path = () => `/api/channels/${encodeURIComponent(props.row.id)}`
  const readonly = () => props.row.managed === 'file'
  const [draft, setDraft] = createSignal(draftOf(props.row.models))
  const [listed, setListed] = createSignal<string[] | undefined>()
  const [find, setFind] = createSignal('')
  const [kind, setKind] = createSignal<LineKind>('all')
  const [form, setForm] = createSignal('')
  const [asking, setAsking] = createSignal<'add' | ModelLine | undefined>()
  const fetching = createWrite()
  const write = createWrite()
  const tests = createTests((model) => ({ channel: props.row.id, model }))
  const [opened, setOpened] = createSignal('')
  const prices = createLoad(
    () => '/api/prices',
    (asked, signal) => readAll<PriceRow>(asked, signal),
  )
  const capabilities = createLoad(
    () => `/api/capabilities?channel=${encodeURIComponent(props.row.id)}`,
    async (asked, signal) => new Map((await readAll<CapabilityRow>(asked, signal, 10_000)).map((row) => [row.model, row])),
  )
  const priced = createMemo(() => prices.value() && new Set(prices.value()?.map((price) => price.model)))
  const saved = createMemo(() => new Set(props.row.models.map((model) => namesOf(model).name)))
  const lines = createMemo(() => linesOfDraft(draft(), props.row.models, listed()))
  const shown = createMemo(() => found(lines(), find(), kind()))
  const count = (of: LineKind) => found(lines(), '', of).length
  const offered = createMemo(() => offeredOf(draft()))
  const isChanged = () => JSON.stringify(offered()) !== JSON.stringify(props.row.models)
  let aborter = new AbortController()
  const fetchModels = () =>
    fetching.run(async () => {
      aborter = new AbortController()
      const { data } = await callApi<UpstreamModels>('GET', `${path()}/models`, undefined, aborter.signal)
      setListed(data.map(({ id }) => id))
    })
  const save = async () => {
    const done = await write.run(async () => {
      const row = await callApi<ChannelRow>('PATCH', path(), { models: offered() })
      props.onSaved(row)
      setDraft(draftOf(row.models))
    })
    if (done) showToast(t('modelsSaved'))
  }
  const testAll = () => void tests.run([...saved()], form() === '')
  // A test requested from the page's header starts at once, even if this tab is already open.
  createEffect(() => {
    if (!props.tests) return
    props.onTests()
    untrack(testAll)
  })
  const columns = modelColumns({
    get readonly() {
      return readonly()
    },
    isSaved: (line) => saved().has(line.name),
    can: (line) => capableText(capabilities.value()?.get(line.name)),
    isPriced: (line) => priced()?.has(line.name),
    test: (line) => tests.of(line.name),
    onOpen: (line) => setOpened(line.name),
    onOffer: (line, on) => setDraft(offering(draft(), [line], on)),
    onTest: (line) => void tests.run([line.name], form() === ''),
    onRename: setAsking,
    onRemove: (line) => setDraft(removing(draft(), line.name)),
  })
  const foot = () => {
    const { done, failed } = tests.counts()
    const parts = [t('footNames', { count: lines().length, offered: count('offered') })]
    if (done > 0) parts.push(t('footTests', { count: done, failed }))
    return parts.join(', ')
  }
  return (
    <>
      <ModelNotes
        listed={listed()}
        fresh={found(lines(), '', 'new').filter((line) => !line.offered)}
        gone={count('gone')}
        unpriced={lines().filter((line) => line.offered && saved().has(line.name) && priced()?.has(line.name) === false).length}
        error={aborter.signal.aborted ? undefined : fetching.error()}
        readonly={readonly()}
        onOffer={(fresh) => setDraft(offering(draft(), fresh, true))}
      />
      <FilterBar
        end={
          <>
            <Show
              when={fetching.busy()}
              fallback={
                <Button icon="download" onClick={() => void fetchModels()}>
                  {t('fetch')}
                </Button>
              }
            >
              <Button icon="stop" onClick={() => aborter.abort(noLongerNeeded)}>
                {t('stopFetching')}
              </Button>
            </Show>
            <Show when={!readonly()}>
              <Button icon="plus" onClick={() => setAsking('add')}>
                {t('addByHand')}
              </Button>
            </Show>
          </>
        }
      >
        <SearchField label={t('find')} value={find()} onSearch={setFind} />
        <Segments
          label={t('which')}
          value={kind()}
          options={(['all', 'offered', ...(listed() ? (['new', 'gone'] as const) : [])] as const).map((value) => ({
            value,
            label: `${t(`which_${value}`)} ${count(value)}`,
          }))}
          onChange={setKind}
        />
        <FilterChip
          label={t('form')}
          value={form()}
          none={t('streamed')}
          options={[{ value: 'whole', label: t('whole') }]}
          onChange={setForm}
        />
        <Show
          when={tests.running()}
          fallback={
            <Button icon="pulse" onClick={testAll}>
              {t('testAll')}
            </Button>
          }
        >
          <Button icon="stop" onClick={() => tests.stop()}>
            {t('stopTesting')}
          </Button>
        </Show>
      </FilterBar>
      <DataTable
        label={t('models')}
        rows={shown()}
        rowId={(line) => line.name}
        rowPx={44}
        columns={columns}
        empty={
          <NoMatch
            filters={[find(), kind() === 'all' ? '' : t(`which_${kind()}`)].filter(Boolean).join(', ')}
            onClear={() => {
              setFind('')
              setKind('all')
            }}
          />
        }
        foot={foot()}
        footEnd={t('testsHint')}
      />
      <SaveBar
        changes={isChanged() && !readonly() ? changeTexts(props.row.models, offered()) : []}
        review={() => reviewLines(props.row.models, offered())}
        busy={write.busy()}
        error={write.unshown()}
        onSave={() => void save()}
        onDiscard={() => {
          write.clear()
          setDraft(draftOf(props.row.models))
        }}
      />
      <Suspense>
        <Show when={tests.of(opened())?.answer}>
          {(answer) => <TestDetailDialog name={opened()} answer={answer()} onClose={() => setOpened('')} />}
        </Show>
        <Show when={asking() === 'add'}>
          <AddModelsDialog
            known={draft().models}
            onAdd={(models) => {
              setDraft(adding(draft(), models))
              setAsking(undefined)
            }}
            onClose={() => setAsking(undefined)}
          />
        </Show>
        <Show when={asking() !== 'add' && (asking() as ModelLine | undefined)}>
          {(line) => (
            <ModelNamesDialog
              name={line().name}
              upstream={line().upstream}
              taken={(name) => draft().models.some((model) => namesOf(model).name === name)}
              onSave={(next) => {
                setDraft(renaming(draft(), line().name, next))
                setAsking(undefined)
              }}
              onClose={() => setAsking(undefined)}
            />
          )}
        </Show>
      </Suspense>
    </>
  )
}
