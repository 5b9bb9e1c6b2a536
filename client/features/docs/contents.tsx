/** The sidebar of `/docs`: pages with the contents of the current one, or search results. */
import { createEffect, For, on, Show } from 'solid-js'
import type { DocPage } from '#shared/console/docs'
import { t } from './messages.ts'
import { hrefOf } from './reference.ts'
import type { Hit } from './search.ts'

/** All pages by group; below the current one its endpoints or headings. */
export function Contents(props: { pages: readonly DocPage[]; current: DocPage | undefined; onGo(): void }) {
  const groups = () => [...new Set(props.pages.map(({ group }) => group))]
  let list: HTMLElement | undefined
  // Keep the current page, with its contents, in view.
  createEffect(
    on(
      () => props.current?.id,
      () => queueMicrotask(() => list?.querySelector('[aria-current]')?.closest('li')?.scrollIntoView({ block: 'nearest' })),
    ),
  )
  return (
    <nav ref={list} aria-label={t('contents')}>
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
                    <Show when={page.id === props.current?.id && partsOf(page).length > 1}>
                      <ul>
                        <For each={partsOf(page)}>
                          {({ id, title }) => (
                            <li>
                              <a href={hrefOf(page.id, id)} onClick={() => props.onGo()}>
                                {title}
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

const partsOf = ({ endpoints, parts = [] }: DocPage) => [...endpoints.map(({ id, summary }) => ({ id, title: summary })), ...parts]

/** Search results. */
export function Results(props: { find: string; found: readonly Hit[]; onGo(): void }) {
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
