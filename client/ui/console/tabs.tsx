import { For } from 'solid-js'

/** A tab. */
export interface Tab {
  id: string
  label: string
}

/** Tabs under the bar; each is a link, so that the tab is in the address. */
export function LinkTabs(props: { label: string; tabs: readonly Tab[]; current: string; href(id: string): string }) {
  return (
    <nav class="link-tabs" aria-label={props.label}>
      <For each={props.tabs}>
        {(tab) => (
          <a href={props.href(tab.id)} aria-current={tab.id === props.current ? 'page' : undefined}>
            {tab.label}
          </a>
        )}
      </For>
    </nav>
  )
}
