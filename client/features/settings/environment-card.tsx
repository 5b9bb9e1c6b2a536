/** The environment variables of this instance: read-only here, changed where Parley is started. */
import { createEffect, For, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { createLoad } from '#client/console/load.ts'
import { WhenLoaded } from '#client/console/when-loaded.tsx'
import { Card } from '#client/ui/console/page.tsx'
import { language } from '#client/ui/language.ts'
import type { Page } from '#shared/console/model'
import type { EnvironmentRow } from '#shared/console/settings'
import { t } from './messages.ts'

/** The variables that match `finds`; those that are set come first, or alone. Nothing, and `onFound(false)`, if there are none. */
export function EnvironmentCard(props: { finds(...texts: string[]): boolean; setOnly: boolean; onFound(any: boolean): void }) {
  const load = createLoad(
    () => '/api/environment?limit=200',
    (path, signal) => callApi<Page<EnvironmentRow>>('GET', path, undefined, signal),
  )
  const rows = () =>
    load
      .value()
      ?.data.filter(
        (row) => (row.set || !props.setOnly) && props.finds(t('environment'), row.name, words().meanings[row.name] ?? row.meaning),
      ) ?? []
  const chinese = createLoad(
    () => (language() === 'zh' ? true : undefined),
    () => import('./environment-zh.ts'),
  )
  const words = (): Words => (language() === 'zh' ? (chinese.value() ?? none) : none)
  const nothing = () => load.value() !== undefined && rows().length === 0
  createEffect(() => props.onFound(!nothing()))
  const set = () => rows().filter((row) => row.set)
  const others = () => rows().filter((row) => !row.set)
  return (
    <Show when={!nothing()}>
      <Card title={t('environment')} bare>
        <p class="hint px-4 pb-3">{t('environmentHint')}</p>
        <WhenLoaded of={load} lines={4}>
          {() => (
            <>
              <ul class="border-t border-line">
                <For each={set()} fallback={<li class="hint px-4 py-3">{t('environmentNone')}</li>}>
                  {(row) => <Variable row={row} words={words()} />}
                </For>
              </ul>
              <Show when={others().length > 0}>
                <details class="border-t border-line">
                  <summary class="cursor-pointer px-4 py-3 text-[13px] text-ink-2">
                    {t('environmentOthers', { count: others().length })}
                  </summary>
                  <ul>
                    <For each={others()}>{(row) => <Variable row={row} words={words()} />}</For>
                  </ul>
                </details>
              </Show>
            </>
          )}
        </WhenLoaded>
      </Card>
    </Show>
  )
}

/** Translations of the server's English texts, by name and by text. */
interface Words {
  meanings: Readonly<Record<string, string>>
  defaults: Readonly<Record<string, string>>
}
const none: Words = { meanings: {}, defaults: {} }

function Variable(props: { row: EnvironmentRow; words: Words }) {
  const meaning = () => props.words.meanings[props.row.name]
  return (
    <li class="list-line">
      <span class="min-w-0 flex-1">
        <b class="mono wrap-anywhere">{props.row.name}</b>
        <small lang={meaning() === undefined ? 'en' : undefined}>{meaning() ?? props.row.meaning}</small>
      </span>
      <Show
        when={props.row.set}
        fallback={<span class="hint text-right">{props.words.defaults[props.row.default] ?? props.row.default}</span>}
      >
        <span class="mono wrap-anywhere max-w-[240px] text-right text-[12px]">{props.row.value ?? t('environmentSecret')}</span>
        <span class="bdg info">{t('fromEnvironment')}</span>
      </Show>
    </li>
  )
}
