/** Modal dialogs. Focus starts on the first control and returns to where it was. */
import { Dialog as Base } from '@kobalte/core/dialog'
import { createSignal, type JSX, Show } from 'solid-js'
import { RefusalContext } from './attempt.ts'
import { rememberOpener } from './browser-state.ts'
import { Button, IconButton } from './button.tsx'
import { createTranslator } from './language.ts'

const t = createTranslator({ close: 'Close' }, async () => ({ zh: { close: '关闭' } }))

/** A modal dialog that is open as long as it is mounted; `onClose` is called on Escape and outside clicks. */
export function Dialog(props: {
  title: string
  intro?: string | undefined
  wide?: boolean | undefined
  onClose(): void
  children?: JSX.Element
  buttons?: JSX.Element
}) {
  const restoreFocus = rememberOpener()
  const [refusal, setRefusal] = createSignal<string | undefined>()
  return (
    <Base open onOpenChange={(open) => !open && props.onClose()}>
      <Base.Portal>
        <Base.Overlay class="scrim" />
        <Base.Content
          class="dialog"
          classList={{ wide: props.wide ?? false }}
          onOpenAutoFocus={focusChosen}
          onCloseAutoFocus={restoreFocus}
          onFocusIn={showFocused}
        >
          <Base.Title as="h2">{props.title}</Base.Title>
          <Show when={props.intro}>
            <Base.Description class="mt-1 text-[13px]/[20px] text-ink-2">{props.intro}</Base.Description>
          </Show>
          <div class="mt-4">
            <RefusalContext.Provider value={props.buttons ? setRefusal : undefined}>{props.children}</RefusalContext.Provider>
          </div>
          <Show when={props.buttons}>
            <div class="dialog-foot">
              <Show when={refusal()}>{(text) => <p class="notice bad basis-full">{text()}</p>}</Show>
              {props.buttons}
            </div>
          </Show>
          {/* Last, so that the focus starts on the first control of the dialog itself. */}
          <span class="dialog-close">
            <IconButton name="x" label={t('close')} onClick={() => props.onClose()} />
          </span>
        </Base.Content>
      </Base.Portal>
    </Base>
  )
}

/**
 * Tab wraps from the last control to the first without scrolling; in a long dialog that one would be out of view. Not the target of
 * the event: that is the focus guard at the end, which has passed the focus on by now.
 */
const showFocused = () => document.activeElement?.scrollIntoView({ block: 'nearest' })

/** If a radio group comes first, focuses its selected option, not its first one. */
function focusChosen(event: Event): void {
  const dialog = event.currentTarget
  if (!(dialog instanceof HTMLElement)) return
  const first = dialog.querySelector('button, input, select, textarea, a[href]')
  const chosen = first?.closest('.seg')?.querySelector<HTMLElement>('[aria-pressed="true"]')
  if (!chosen) return
  event.preventDefault()
  chosen.focus()
}

/** Asks before something that cannot be undone. The safe button comes first and has the focus. */
export function Confirm(props: {
  title: string
  intro: string
  safe: string
  go: string
  /** A word that must be typed before `go` works. */
  typed?: { label: string; word: string; value: string; onInput(value: string): void }
  onGo(): void
  onClose(): void
}) {
  const allowed = () => props.typed === undefined || props.typed.value.trim() === props.typed.word
  return (
    <Dialog
      title={props.title}
      intro={props.intro}
      onClose={props.onClose}
      buttons={
        <>
          <Button onClick={() => props.onClose()}>{props.safe}</Button>
          <Button look="bad primary" aria-disabled={allowed() ? undefined : 'true'} onClick={() => allowed() && props.onGo()}>
            {props.go}
          </Button>
        </>
      }
    >
      <Show when={props.typed}>
        {(typed) => (
          <label class="grid gap-1.5 text-[13px]">
            {typed().label}
            <input class="in" autocomplete="off" value={typed().value} onInput={(event) => typed().onInput(event.currentTarget.value)} />
          </label>
        )}
      </Show>
    </Dialog>
  )
}
