/** `/docs`: the API reference with contents, search, samples in the reader's language, and calls made from the page. */
import { createEffect, createMemo, createSignal, For, on, onCleanup, Show } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { SearchField } from '#client/ui/console/filters.tsx'
import { Page } from '#client/ui/console/page.tsx'
import { Failure, Skeleton } from '#client/ui/console/states.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { language } from '#client/ui/language.ts'
import type { DocPage, Docs } from '#shared/console/docs'
import { Endpoint } from './endpoint.tsx'
import { Markup } from './markup.tsx'
import { t } from './messages.ts'
import { searchDocs } from './search.ts'
import './docs.css'

/** The page. */
export function DocsPage() {
  const url = useUrlState()
  const [docs, setDocs] = createSignal<Docs>()
  const [find, setFind] = createSignal('')
  const reading = createWrite()
  const read = () => void reading.run(async () => setDocs(await callApi<Docs>('GET', `/docs.json?language=${language()}`)))
  createEffect(on(language, read))
  const current = createMemo(() => docs()?.pages.find(({ id }) => id === url.get('page')) ?? docs()?.pages[0])
  const found = createMemo(() => searchDocs(docs()?.pages ?? [], find()))
  return (
    <Page
      title={t('title')}
      facts={docs() && t('version', { version: docs()?.version ?? '' })}
      actions={
        <>
          <a class="btn ghost" href="/openapi.json" rel="external">
            openapi.json
          </a>
          <a class="btn ghost max-[759px]:hidden!" href="/llms.txt" rel="external">
            llms.txt
          </a>
          <a class="btn ghost max-[759px]:hidden!" href="/key">
            {t('yourKey')}
          </a>
        </>
      }
    >
      <Show
        when={docs()}
        fallback={
          <Show when={reading.error()} fallback={<Skeleton lines={12} />}>
            {(error) => <Failure text={explain(error())} onRetry={read} />}
          </Show>
        }
      >
        {(known) => (
          <div class="docs">
            <div class="docs-side">
              <div class="filters wide mb-0!">
                <SearchField label={t('search')} value={find()} onSearch={setFind} />
              </div>
              <Show when={find() === ''} fallback={<Results find={find()} found={found()} onGo={() => setFind('')} />}>
                <Contents pages={known().pages} current={current()?.id} />
              </Show>
            </div>
            <Show when={current()} keyed>
              {(page) => <Reading page={page} />}
            </Show>
          </div>
        )}
      </Show>
    </Page>
  )
}

const hrefOf = (page: string, anchor?: string) => `/docs?page=${encodeURIComponent(page)}${anchor ? `#${anchor}` : ''}`

function Contents(props: { pages: readonly DocPage[]; current: string | undefined }) {
  const groups = () => [...new Set(props.pages.map(({ group }) => group))]
  return (
    <nav aria-label={t('contents')}>
      <For each={groups()}>
        {(group) => (
          <>
            <h2>{group}</h2>
            <ul>
              <For each={props.pages.filter((page) => page.group === group)}>
                {(page) => (
                  <li>
                    <a href={hrefOf(page.id)} aria-current={page.id === props.current ? 'page' : undefined}>
                      {page.title}
                    </a>
                  </li>
                )}
              </For>
            </ul>
          </>
        )}
      </For>
    </nav>
  )
}

function Results(props: { find: string; found: ReturnType<typeof searchDocs>; onGo(): void }) {
  return (
    <nav aria-label={t('contents')}>
      <ul>
        <For each={props.found} fallback={<li class="hint px-2 py-1">{t('nothing', { text: props.find })}</li>}>
          {(hit) => (
            <li>
              <a href={hrefOf(hit.page, hit.anchor)} onClick={() => props.onGo()}>
                {hit.title}
                <small>{hit.note}</small>
              </a>
            </li>
          )}
        </For>
      </ul>
    </nav>
  )
}

function Reading(props: { page: DocPage }) {
  let article: HTMLElement | undefined
  const show = () => {
    const anchor = decodeURIComponent(location.hash.slice(1))
    const target = anchor === '' ? undefined : article?.querySelector(`[id="${CSS.escape(anchor)}"]`)
    if (target) target.scrollIntoView()
    else article?.closest('.page')?.scrollTo({ top: 0 })
  }
  createEffect(
    on(
      () => props.page.id,
      () => queueMicrotask(show),
    ),
  )
  addEventListener('hashchange', show)
  onCleanup(() => removeEventListener('hashchange', show))
  return (
    <article ref={article} class="docs-body">
      <h2>{props.page.title}</h2>
      <Markup html={props.page.html} />
      <For each={props.page.endpoints}>{(endpoint, at) => <Endpoint endpoint={endpoint} first={at() === 0} />}</For>
    </article>
  )
}
