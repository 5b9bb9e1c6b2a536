import { createMemo, createSignal, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { errorAt, explain } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { Button } from '#client/ui/button.tsx'
import { AreaField, CheckList } from '#client/ui/console/form.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { SaveBar } from '#client/ui/console/save-bar.tsx'
import { showToast } from '#client/ui/toast.tsx'
import type { ChannelRow } from '#shared/console/channel'
import type { UpstreamModels } from '#shared/console/inspection/probe'
import { t } from './messages.ts'
import { linesOf, modelsOf, namesOf } from './model-lines.ts'

/** The models that are offered, and how they differ from what the upstream lists. */
export function ModelsTab(props: { row: ChannelRow; onSaved(row: ChannelRow): void }) {
  const path = () => `/api/channels/${encodeURIComponent(props.row.id)}`
  const [lines, setLines] = createSignal(linesOf(props.row.models))
  const [listed, setListed] = createSignal<string[] | undefined>()
  const [chosen, setChosen] = createSignal<string[]>([])
  const fetching = createWrite()
  const write = createWrite()
  let aborter = new AbortController()
  const readonly = () => props.row.managed === 'file'
  const draft = createMemo(() => modelsOf(lines(), props.row.models))
  const fresh = createMemo(() => {
    const offered = new Set(draft().map((model) => namesOf(model).upstream))
    return (listed() ?? []).filter((id) => !offered.has(id))
  })
  const gone = createMemo(() => {
    const there = new Set(listed())
    return listed()
      ? draft()
          .map(namesOf)
          .filter((model) => !there.has(model.upstream))
          .map((model) => model.name)
      : []
  })
  const fetchModels = () =>
    fetching.run(async () => {
      aborter = new AbortController()
      const { data } = await callApi<UpstreamModels>('GET', `${path()}/models`, undefined, aborter.signal)
      setListed(data.map(({ id }) => id))
      setChosen([])
    })
  const changed = () => lines().trim() !== linesOf(props.row.models).trim()
  const save = async () => {
    const done = await write.run(async () => {
      const row = await callApi<ChannelRow>('PATCH', path(), { models: draft() })
      props.onSaved(row)
      setLines(linesOf(row.models))
    })
    if (done) showToast(t('modelsSaved'))
  }
  const add = () => setLines([lines().trim(), ...chosen().filter((id) => fresh().includes(id))].filter(Boolean).join('\n'))
  const remove = () => {
    const left = new Set(chosen().filter((name) => gone().includes(name)))
    setLines(linesOf(draft().filter((model) => !left.has(namesOf(model).name))))
  }
  const count = (of: readonly string[]) => chosen().filter((one) => of.includes(one)).length
  return (
    <>
      <div class="cols">
        <Card title={t('offered')}>
          <AreaField
            label={t('models')}
            hint={t('modelsHint')}
            mono
            rows={Math.min(24, Math.max(8, draft().length + 1))}
            value={lines()}
            readonly={readonly()}
            error={errorAt(write.error(), 'models')}
            onChange={setLines}
          />
        </Card>
        <Card
          title={t('upstream')}
          tools={
            <Show
              when={fetching.busy()}
              fallback={
                <Button size="sm" icon="download" onClick={() => void fetchModels()}>
                  {t('fetch')}
                </Button>
              }
            >
              <Button size="sm" icon="stop" onClick={() => aborter.abort()}>
                {t('stop')}
              </Button>
            </Show>
          }
        >
          <div class="stack">
            <Show when={fetching.error()}>{(error) => <p class="notice bad">{explain(error())}</p>}</Show>
            <Show when={listed()} fallback={<p class="text-[13px] text-ink-2">{fetching.busy() ? t('fetching') : t('fetchWhy')}</p>}>
              <Show when={fresh().length + gone().length > 0} fallback={<p class="text-[13px] text-ink-2">{t('diffSame')}</p>}>
                <Show when={fresh().length > 0}>
                  <CheckList
                    label={`+ ${t('diffNew')}`}
                    options={fresh().map((id) => ({ value: id, label: id }))}
                    chosen={chosen()}
                    readonly={readonly()}
                    onChange={setChosen}
                  />
                  <Button aria-disabled={count(fresh()) === 0 ? 'true' : undefined} onClick={add}>
                    {t('addChosen', { count: count(fresh()) })}
                  </Button>
                </Show>
                <Show when={gone().length > 0}>
                  <CheckList
                    label={`− ${t('diffGone')}`}
                    options={gone().map((id) => ({ value: id, label: id }))}
                    chosen={chosen()}
                    readonly={readonly()}
                    onChange={setChosen}
                  />
                  <Button aria-disabled={count(gone()) === 0 ? 'true' : undefined} onClick={remove}>
                    {t('removeChosen', { count: count(gone()) })}
                  </Button>
                </Show>
              </Show>
            </Show>
          </div>
        </Card>
      </div>
      <SaveBar
        changes={changed() && !readonly() ? [t('models')] : []}
        busy={write.busy()}
        error={write.error() && explain(write.error() as never)}
        onSave={() => void save()}
        onDiscard={() => setLines(linesOf(props.row.models))}
      />
    </>
  )
}
