/** A request and its replays side by side: figures, and the answers with what differs. The answers are read on demand. */
import { createSignal, For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad } from '#client/console/load.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { Button } from '#client/ui/button.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { copyText } from '#client/ui/copy-and-save.ts'
import { showToast } from '#client/ui/toast.tsx'
import type { ReplayComparison, ReplayDetail, ReplayItemRow } from '#shared/console/replay'
import { Answers } from './answers.tsx'
import { type FigureLine, figureLines } from './figure-lines.ts'
import { asMarkdown } from './markdown.ts'
import { t } from './messages.ts'
import { targetText } from './target-text.ts'

/** All items of a job about one request. */
export function Comparison(props: { job: ReplayDetail; items: readonly ReplayItemRow[] }) {
  const [asked, setAsked] = createSignal(false)
  const sent = () => props.items.filter(({ state, replayId }) => replayId !== null && state !== 'running')
  const paths = () => sent().map(({ n }) => `/api/replays/${encodeURIComponent(props.job.id)}/items/${n}`)
  const read = createLoad(
    () => (asked() && sent().length > 0 ? paths().join(' ') : undefined),
    (paths, signal) => Promise.all(paths.split(' ').map((path) => callApi<ReplayComparison>('GET', path, undefined, signal))),
  )
  const nameOf = ({ target }: ReplayItemRow) => targetText(props.job.targets[target] ?? {})
  const model = () => props.items.find(({ original }) => original)?.original?.model
  const originalName = () => [model(), t('original')].filter(Boolean).join(', ')
  const lines = () => figureLines(props.items)
  const copy = async () => {
    const found = read.value() ?? []
    const text = asMarkdown([t('figure'), originalName(), ...props.items.map(nameOf)], lines(), [
      ...found.slice(0, 1).map(({ originalAnswer }) => ({ name: originalName(), answer: originalAnswer })),
      ...found.map((one) => ({ name: nameOf(one), answer: one.replayAnswer })),
    ])
    if (await copyText(text)) showToast(t('copied'))
  }
  return (
    <Card
      title={t('figures')}
      tools={
        <Button look="ghost" icon="copy" onClick={() => void copy()}>
          {t('copyMarkdown')}
        </Button>
      }
    >
      <div class="cin grid gap-4">
        <p class="text-[13px]">
          <RequestLink id={props.items[0]?.requestId ?? ''} /> {t('again')}{' '}
          <For each={props.items}>
            {(item) => (
              <Show when={item.replayId}>
                {(id) => (
                  <>
                    <RequestLink id={id()} />{' '}
                    <Show when={item.exact}>
                      <span class="bdg">{t('exact')}</span>{' '}
                    </Show>
                  </>
                )}
              </Show>
            )}
          </For>
        </p>
        <FiguresTable lines={lines()} original={originalName()} names={props.items.map(nameOf)} />
        <Show
          when={asked()}
          fallback={
            <Show when={sent().length > 0}>
              <div class="grid justify-items-start gap-2 text-[13px] text-ink-2">
                <Button onClick={() => setAsked(true)}>{t('read')}</Button>
                {t('readWhy')}
              </div>
            </Show>
          }
        >
          <WhenLoaded of={read}>
            {(found) => <Answers original={originalName()} replays={found().map((both) => ({ name: nameOf(both), both }))} />}
          </WhenLoaded>
        </Show>
      </div>
    </Card>
  )
}

function RequestLink(props: { id: string }) {
  return (
    <a class="mono" href={`/requests/${encodeURIComponent(props.id)}`}>
      {props.id}
    </a>
  )
}

function FiguresTable(props: { lines: readonly FigureLine[]; original: string; names: readonly string[] }) {
  return (
    <section class="replay-figures" aria-label={t('figures')} tabindex="0">
      <table class="bill">
        <thead>
          <tr>
            <th scope="col">{t('figure')}</th>
            <th scope="col">{props.original}</th>
            <For each={props.names}>{(name) => <th scope="col">{name}</th>}</For>
          </tr>
        </thead>
        <tbody>
          <For each={props.lines}>
            {(line) => (
              <tr>
                <th scope="row">{line.label}</th>
                <td classList={{ best: line.best.includes(0) }}>{line.original}</td>
                <For each={line.replays}>
                  {({ text, note }, n) => (
                    <td classList={{ best: line.best.includes(n() + 1) }}>
                      {text} <span class="text-ink-3">{note}</span>
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  )
}
