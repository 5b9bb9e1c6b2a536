/** The current page of the reference. */
import { useLocation } from '@solidjs/router'
import { createEffect, For, type JSX, on, Show, Suspense } from 'solid-js'
import { Skeleton } from '#client/ui/console/states.tsx'
import { later } from '#client/ui/later.ts'
import type { DocPage } from '#shared/console/docs'
import { Calls, Endpoint } from './endpoint.tsx'
import { Markup } from './markup.tsx'
import { t } from './messages.ts'
import { hrefOf } from './reference.ts'

const LiveModels = later(async () => (await import('./live-models.tsx')).LiveModels)

interface ArticleProps {
  page: DocPage
  pages: readonly DocPage[]
  /** Nobody is signed in. */
  alone: boolean
  /** Placeholder for a text that is not loaded yet. */
  waiting: JSX.Element
}

/** A page with its endpoints. Scrolls to the URL's anchor as soon as it is there. */
export function Article(props: ArticleProps) {
  let article: HTMLElement | undefined
  const address = useLocation()
  const show = () => {
    for (const before of article?.querySelectorAll('.docs-found') ?? []) before.classList.remove('docs-found')
    const anchor = decodeURIComponent(address.hash.slice(1))
    const target = anchor === '' ? undefined : article?.querySelector(`[id="${CSS.escape(anchor)}"]`)
    if (target?.matches('li, tr')) target.classList.add('docs-found')
    if (target) target.scrollIntoView()
    else article?.closest('.page')?.scrollTo({ top: 0 })
  }
  createEffect(
    on([() => props.page.html, () => address.hash], () => {
      document.title = `${props.page.title} · ${t('title')} · Parley`
      queueMicrotask(show)
    }),
  )
  return (
    <article ref={article} class="docs-body">
      <h2>{props.page.title}</h2>
      <Show when={!props.page.later || props.page.html} fallback={props.waiting}>
        <Markup page={props.page.id} html={props.page.html} />
      </Show>
      <Show when={props.page.id === 'models'}>
        <Show when={!props.alone} fallback={<p>{t('modelsAlone')}</p>}>
          <Suspense fallback={<Skeleton lines={6} />}>
            <LiveModels />
          </Suspense>
        </Show>
      </Show>
      <Show when={props.page.id === 'start'}>
        <Begin pages={props.pages} />
      </Show>
      <For each={props.page.endpoints}>{(endpoint, at) => <Endpoint page={props.page.id} endpoint={endpoint} first={at() === 0} />}</For>
    </article>
  )
}

/** The end of the first page: a first request, and links to read on. */
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
