/** `/docs`: the API reference with contents, search, samples in the reader's language, and calls made from the page. */
import { createEffect, createMemo, createSignal, For, on, onCleanup, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { explain } from '#client/console/explain.ts'
import { createWrite } from '#client/console/write.ts'
import { createMediaQuery } from '#client/ui/browser-state.ts'
import { SearchField } from '#client/ui/console/filters.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Page } from '#client/ui/console/page.tsx'
import { Failure, Skeleton } from '#client/ui/console/states.tsx'
import { useUrlState } from '#client/ui/console/url-state.ts'
import { Icon } from '#client/ui/icon.tsx'
import { language } from '#client/ui/language.ts'
import { later } from '#client/ui/later.ts'
import type { DocPage, Docs } from '#shared/console/docs'
import { Calls, Endpoint } from './endpoint.tsx'
import { Markup } from './markup.tsx'
import { t } from './messages.ts'
import { searchDocs } from './search.ts'
import './docs.css'
import './docs-endpoint.css'

const Sheet = later(async () => (await import('#client/ui/sheet.tsx')).Sheet)

/** The page. `alone`: for a reader who is not signed in, without the frame of the product. */
export function DocsPage(props: { alone?: boolean }) {
  const url = useUrlState()
  const [docs, setDocs] = createSignal<Docs>()
  const [find, setFind] = createSignal('')
  const [open, setOpen] = createSignal(false)
  const phone = createMediaQuery('(max-width: 759px)')
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
          <Show when={phone()}>
            <button type="button" class="btn ghost" aria-haspopup="dialog" onClick={() => setOpen(true)}>
              <Icon name="list" />
              {t('contents')}
            </button>
          </Show>
          <a class="btn ghost max-[759px]:hidden!" href="/openapi.json" rel="external">
            openapi.json
          </a>
          <a class="btn ghost max-[759px]:hidden!" href="/llms.txt" rel="external">
            llms.txt
          </a>
          <a class="btn ghost max-[759px]:hidden!" href="/key">
            {t('yourKey')}
          </a>
          <Show when={props.alone}>
            <a class="btn max-[759px]:hidden!" href="/" rel="external">
              {t('signIn')}
            </a>
          </Show>
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
        {(known) => {
          const side = (onGo: () => void) => (
            <>
              <div class="filters wide mb-0!">
                <SearchField label={t('search')} value={find()} onSearch={setFind} />
              </div>
              <Show when={find() === ''} fallback={<Results find={find()} found={found()} onGo={onGo} />}>
                <Contents pages={known().pages} current={current()} onGo={onGo} />
              </Show>
            </>
          )
          return (
            <div class="docs">
              <Show when={!phone()}>
                <div class="docs-side">{side(() => setFind(''))}</div>
              </Show>
              <Show when={current()} keyed>
                {(page) => <Reading page={page} pages={known().pages} />}
              </Show>
              <Suspense>
                <Show when={phone() && open()}>
                  <Sheet title={t('contents')} closeLabel={tc('close')} side="left" onClose={() => setOpen(false)}>
                    <div class="docs-side">
                      {side(() => {
                        setFind('')
                        setOpen(false)
                      })}
                    </div>
                  </Sheet>
                </Show>
              </Suspense>
            </div>
          )
        }}
      </Show>
    </Page>
  )
}

const hrefOf = (page: string, anchor?: string) => `/docs?page=${encodeURIComponent(page)}${anchor ? `#${anchor}` : ''}`

function Contents(props: { pages: readonly DocPage[]; current: DocPage | undefined; onGo(): void }) {
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
                    <a
                      href={hrefOf(page.id)}
                      aria-current={page.id === props.current?.id ? 'page' : undefined}
                      onClick={() => props.onGo()}
                    >
                      {page.title}
                    </a>
                    <Show when={page.id === props.current?.id && page.endpoints.length > 1}>
                      <ul>
                        <For each={page.endpoints}>
                          {(endpoint) => (
                            <li>
                              <a href={hrefOf(page.id, endpoint.id)} onClick={() => props.onGo()}>
                                {endpoint.summary}
                              </a>
                            </li>
                          )}
                        </For>
                      </ul>
                    </Show>
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

function Reading(props: { page: DocPage; pages: readonly DocPage[] }) {
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
      <Show when={props.page.id === 'start'}>
        <Begin pages={props.pages} />
      </Show>
      <For each={props.page.endpoints}>{(endpoint, at) => <Endpoint endpoint={endpoint} first={at() === 0} />}</For>
    </article>
  )
}

/** The end of the first page: one request to make at once, and where to read on. */
function Begin(props: { pages: readonly DocPage[] }) {
  const first = () => props.pages.find(({ id }) => id === 'conversations')?.endpoints[0]
  const next = () =>
    ['conversations', 'stream-chat', 'models', 'keys', 'errors', 'losses'].flatMap((id) => props.pages.find((page) => page.id === id) ?? [])
  return (
    <>
      <Show when={first()}>
        {(endpoint) => (
          <>
            <h3>{t('begin')}</h3>
            <div class="docs-begin">
              <Calls endpoint={endpoint()} />
            </div>
          </>
        )}
      </Show>
      <h3>{t('next')}</h3>
      <ul class="docs-next">
        <For each={next()}>
          {(page) => (
            <li>
              <a href={hrefOf(page.id)}>
                <b>{page.title}</b>
                <small>{page.group}</small>
              </a>
            </li>
          )}
        </For>
      </ul>
    </>
  )
}
