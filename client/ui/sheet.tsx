import { Dialog } from '@kobalte/core/dialog'
import { type JSX, Show } from 'solid-js'
import { rememberOpener } from './browser-state.ts'
import { IconButton } from './button.tsx'

/** A panel over the page that traps the focus and closes on Escape. */
export function Sheet(props: {
  title: string
  closeLabel: string
  side: 'left' | 'right'
  wide?: boolean
  /** No header: the content has its own title and close button. */
  bare?: boolean
  tools?: JSX.Element
  onClose(): void
  children: JSX.Element
}) {
  const restoreFocus = rememberOpener()
  return (
    <Dialog open onOpenChange={(open) => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay class="scrim" />
        <Dialog.Content class={`sheet ${props.side} panel-sheet`} classList={{ wide: props.wide ?? false }} onCloseAutoFocus={restoreFocus}>
          <Show when={!props.bare} fallback={<Dialog.Title class="hidden-text">{props.title}</Dialog.Title>}>
            <header>
              <Dialog.Title as="h2">{props.title}</Dialog.Title>
              {props.tools}
              <IconButton name="x" label={props.closeLabel} onClick={() => props.onClose()} />
            </header>
          </Show>
          {props.children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog>
  )
}
