import { type JSX, onCleanup, onMount, Show, Suspense } from 'solid-js'
import { IconButton } from './button.tsx'
import { later } from './later.ts'

const Sheet = later(async () => (await import('./sheet.tsx')).Sheet)

interface PanelProps {
  title: string
  closeLabel: string
  beside: boolean
  wide?: boolean
  /** Whether opening moves the focus into the panel. */
  takesFocus: boolean
  tools?: JSX.Element
  onClose(): void
  children: JSX.Element
}

/**
 * A panel at the right edge: beside the page where there is room, otherwise a sheet over it. Opening moves the focus in when
 * `takesFocus` is set; closing returns it.
 */
export function Panel(props: PanelProps) {
  return (
    <Show
      when={props.beside}
      fallback={
        <Suspense>
          <Sheet side="right" {...props} />
        </Suspense>
      }
    >
      <Beside {...props} />
    </Show>
  )
}

function Beside(props: PanelProps) {
  let panel: HTMLElement | undefined
  const opener = document.activeElement
  onMount(() => props.takesFocus && panel?.querySelector<HTMLElement>('h2')?.focus())
  onCleanup(() => {
    if (opener instanceof HTMLElement && opener.isConnected && panel?.contains(document.activeElement)) opener.focus()
  })
  return (
    <aside
      ref={panel}
      class="panel"
      classList={{ wide: props.wide ?? false }}
      aria-label={props.title}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) {
          event.preventDefault()
          props.onClose()
        }
      }}
    >
      <header>
        <h2 tabindex="-1">{props.title}</h2>
        {props.tools}
        <IconButton name="x" label={props.closeLabel} onClick={() => props.onClose()} />
      </header>
      {props.children}
    </aside>
  )
}
