import { createEffect, For, on, Show } from 'solid-js'

/** A tab. */
export interface Tab {
  id: string
  label: string
  /** The number of listed items; undefined shows none. */
  count?: number | undefined
}

/** Tabs below the bar; each is a link, so that the tab is in the URL. If they overflow, the current one is scrolled into view. */
export function LinkTabs(props: { label: string; tabs: readonly Tab[]; current: string; href(id: string): string }) {
  let bar: HTMLElement | undefined
  createEffect(
    on(
      // Counts that come later make tabs wider.
      () => [props.current, ...props.tabs.map(({ count }) => count)],
      () => {
        const present = bar?.querySelector<HTMLElement>('[aria-current]')
        if (bar && present) bar.scrollLeft = present.offsetLeft - bar.offsetLeft - (bar.clientWidth - present.offsetWidth) / 2
      },
    ),
  )
  return (
    <nav class="link-tabs" aria-label={props.label} ref={bar}>
      <For each={props.tabs}>
        {(tab) => (
          <a href={props.href(tab.id)} aria-current={tab.id === props.current ? 'page' : undefined}>
            {tab.label}
            <Show when={tab.count}>{(count) => <span class="num font-normal text-ink-3"> {count()}</span>}</Show>
          </a>
        )}
      </For>
    </nav>
  )
}
