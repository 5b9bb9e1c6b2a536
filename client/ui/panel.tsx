import { type Accessor, createEffect, createMemo, type JSX, on, onCleanup, Show, Suspense } from 'solid-js'
import { IconButton } from './button.tsx'
import { later } from './later.ts'

const Sheet = later(async () => (await import('./sheet.tsx')).Sheet)

interface PanelProps {
  /** Beside the page a closed panel is only hidden; as a sheet it is unmounted. */
  open: boolean
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
        <Show when={props.open}>
          <Suspense>
            <Sheet side="right" {...props} />
          </Suspense>
        </Show>
      }
    >
      <Beside {...props} />
    </Show>
  )
}

/** The value of `read` while a panel is open; otherwise the last one, so that no work is done for a hidden panel. */
export const whileOpen = <Value,>(isOpen: Accessor<boolean>, read: Accessor<Value>): Accessor<Value> => {
  const kept = createMemo((before: { value: Value } | undefined) => (isOpen() || before === undefined ? { value: read() } : before))
  return createMemo(() => kept().value)
}

function Beside(props: PanelProps) {
  let panel: HTMLElement | undefined
  let opener: Element | null = null
  const restoreFocus = () => {
    if (opener instanceof HTMLElement && opener.isConnected && panel?.contains(document.activeElement)) opener.focus()
  }
  createEffect(
    on(
      () => props.open,
      (open) => {
        if (!open) return restoreFocus()
        opener = document.activeElement
        if (props.takesFocus) panel?.querySelector<HTMLElement>('h2')?.focus()
      },
    ),
  )
  onCleanup(restoreFocus)
  return (
    <aside
      ref={panel}
      class="panel"
      classList={{ wide: props.wide ?? false }}
      hidden={!props.open}
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
