import { createEffect, For, type JSX, onMount, Show } from 'solid-js'
import { Icon } from '#client/ui/icon.tsx'
import './console.css'
import './stats.css'
import './copy.css'
import './forms.css'
import './gallery.css'
import './list-fields.css'
import './table.css'
import './table-cards.css'
import './small.css'

/** A page above this one. */
export interface Crumb {
  label: string
  href: string
}

interface PageProps {
  title: string
  /** Pages above this one, the nearest last. */
  above?: readonly Crumb[]
  /** The state of the page's subject, beside the title. */
  mark?: JSX.Element
  /** Buttons on the right of the bar. */
  actions?: JSX.Element
  /** A line of facts before the buttons, left out on phones. */
  facts?: string | undefined
  tabs?: JSX.Element
  /** Content beside the page: a drawer. */
  aside?: JSX.Element
  children: JSX.Element
}

/** The frame of a console page: the bar with title and actions, tabs below it, and the content, which scrolls. */
export function Page(props: PageProps) {
  let content: HTMLDivElement | undefined
  createEffect(() => {
    document.title = `${props.title} · Parley`
  })
  // After following a link, the focus starts at the content, for keyboards and screen readers.
  onMount(() => queueMicrotask(() => document.activeElement === document.body && content?.focus({ preventScroll: true })))
  return (
    <div class="console">
      <main class="main">
        <header class="top">
          <div class="crumbs">
            <For each={props.above}>
              {(crumb, at) => (
                <>
                  <a
                    class="crumb"
                    classList={{ nearest: at() === (props.above?.length ?? 0) - 1 }}
                    href={crumb.href}
                    aria-label={crumb.label}
                  >
                    <span class="back-icon">
                      <Icon name="left" />
                    </span>
                    <span class="crumb-label">{crumb.label}</span>
                  </a>
                  <span class="crumb-line" aria-hidden="true">
                    <Icon name="right" small />
                  </span>
                </>
              )}
            </For>
            <h1 title={props.title}>{props.title}</h1>
            <Show when={props.mark}>
              <span class="ml-1.5 text-[13px]/[18px] whitespace-nowrap max-[759px]:hidden">{props.mark}</span>
            </Show>
          </div>
          <span class="flex-1" />
          <Show when={props.facts}>
            <span class="facts">{props.facts}</span>
          </Show>
          {props.actions}
        </header>
        {props.tabs}
        <div class="page" id="content" ref={content} tabindex="-1">
          <div class="wrap">{props.children}</div>
        </div>
      </main>
      {props.aside}
    </div>
  )
}

/** A card with an optional title and tools. `count`: the number of listed items, beside the title; `note`: a short text there. */
export function Card(props: {
  title?: string
  count?: number
  note?: string
  tools?: JSX.Element
  bare?: boolean
  bad?: boolean
  children: JSX.Element
}) {
  return (
    <section class="card" classList={{ danger: props.bad ?? false }}>
      <Show when={props.title !== undefined || props.tools}>
        <header>
          <h2>{props.title}</h2>
          <Show when={props.count !== undefined}>
            <span class="bdg num">{props.count}</span>
          </Show>
          <Show when={props.note}>
            <span class="hint">{props.note}</span>
          </Show>
          <span class="flex-1" />
          {props.tools}
        </header>
      </Show>
      <div classList={{ 'card-in': !props.bare }}>{props.children}</div>
    </section>
  )
}
