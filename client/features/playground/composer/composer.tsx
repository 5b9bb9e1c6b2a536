import { type Accessor, createEffect, createSignal, type JSX, on, onCleanup, Show, untrack } from 'solid-js'
import { isSendKey } from '#client/features/playground/keyboard/send-key.ts'
import { t } from '#client/features/playground/messages/messages.ts'
import { announce } from '#client/ui/announcer.tsx'
import { Icon } from '#client/ui/icon.tsx'
import { Tooltip } from '#client/ui/tooltip.tsx'
import { InertControls } from './inert-controls.tsx'

interface ComposerProps {
  /** Id of the conversation; when it changes, the box shows that one's draft. */
  of: string
  draft: string
  placeholder: string
  running: boolean
  /** Why nothing can be sent now, or undefined. */
  blocked: string | undefined
  /** Only blocked by loading: a message sent meanwhile is sent once loading is done. */
  isLoading?: boolean
  enterSends: boolean
  choices: JSX.Element
  /** Keeps `text` as the draft of the conversation `of`. */
  onDraft(of: string, text: string): void
  onSend(text: string): void
  onStop(): void
  /** Arrow up in an empty box. */
  onEditLast(): void
  /** Called once with the handle. */
  handle?(handle: ComposerHandle): void
  /** Called with the reason when sending is attempted while blocked, and with undefined when the text changes. */
  onRefused?(why: string | undefined): void
}

/** Lets the page put text into the composer and focus it. */
export interface ComposerHandle {
  text: Accessor<string>
  insert(text: string): void
  focus(): void
}

const draftPauseMs = 300

/**
 * The input box: a plain textarea, inert controls on the left, group, model and Send on the right. While a reply runs, Send
 * becomes Stop in the same place.
 */
export function Composer(props: ComposerProps) {
  let box: HTMLTextAreaElement | undefined
  const [text, setText] = createSignal('')
  let saving: ReturnType<typeof setTimeout> | undefined
  let current = props.of

  /**
   * The box has had the focus, and the focus has not left the composer since. Phones hide their tab bar meanwhile: a bar that came or
   * went under the finger would receive the tap meant for Send or the list of models.
   */
  const [isTyping, setIsTyping] = createSignal(false)
  /** A message was sent while something was loading. */
  const [isDue, setIsDue] = createSignal(false)

  const write = (value: string) => {
    // A conversation that gets its id shows the same text again.
    if (value !== untrack(text)) setIsDue(false)
    setText(value)
    if (box && box.value !== value) box.value = value
    fit()
  }
  const saveNow = () => {
    if (saving === undefined) return
    clearTimeout(saving)
    saving = undefined
    props.onDraft(current, text())
  }
  const fit = () => {
    if (!box || CSS.supports('field-sizing', 'content')) return
    box.style.height = 'auto'
    box.style.height = `${box.scrollHeight}px`
  }
  createEffect(
    on(
      () => props.of,
      (of) => {
        // The text belongs to the conversation that is being left.
        saveNow()
        current = of
        write(props.draft)
      },
    ),
  )
  addEventListener('pagehide', saveNow)
  onCleanup(() => {
    saveNow()
    removeEventListener('pagehide', saveNow)
  })
  props.handle?.({
    text,
    insert(value) {
      write(value)
      props.onDraft(current, value)
      box?.focus()
    },
    focus: () => box?.focus(),
  })

  const reason = () => props.blocked ?? (text().trim() === '' ? t('writeFirst') : undefined)
  const send = () => {
    const why = reason()
    if (props.running) return
    const waits = props.isLoading === true && text().trim() !== ''
    setIsDue(waits)
    if (waits) return
    props.onRefused?.(why)
    if (why !== undefined) return announce(why)
    clearTimeout(saving)
    saving = undefined
    const value = text()
    write('')
    props.onSend(value)
  }
  createEffect(() => {
    if (isDue() && !props.isLoading) untrack(send)
  })
  const onInput = (value: string) => {
    setIsDue(false)
    props.onRefused?.(undefined)
    setText(value)
    fit()
    clearTimeout(saving)
    saving = setTimeout(saveNow, draftPauseMs)
  }
  const onKey = (event: KeyboardEvent) => {
    // Input methods confirm a candidate with Enter; older engines report that as key code 229.
    if (event.isComposing || event.keyCode === 229) return
    if (event.key === 'Enter' && isSendKey(event, props.enterSends)) {
      event.preventDefault()
      send()
    } else if (event.key === 'ArrowUp' && text() === '') {
      event.preventDefault()
      props.onEditLast()
    }
  }

  return (
    <form
      class="comp"
      data-toasts-above
      classList={{ typing: isTyping() }}
      aria-label={t('message')}
      onFocusIn={({ target }) => target === box && setIsTyping(true)}
      onFocusOut={({ relatedTarget: to, currentTarget }) => !(to instanceof Node && currentTarget.contains(to)) && setIsTyping(false)}
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        id="content"
        ref={box}
        rows={1}
        aria-label={t('message')}
        placeholder={props.placeholder}
        autocomplete="off"
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={onKey}
        onBlur={saveNow}
        onPaste={(event) => {
          if ((event.clipboardData?.files.length ?? 0) === 0 || event.clipboardData?.getData('text/plain')) return
          event.preventDefault()
          announce(t('notAvailable'))
        }}
      />
      <div class="comp-b">
        <InertControls />
        <span class="flex-1" />
        <div class="choices">
          {props.choices}
          <SendButton running={props.running} reason={reason()} onStop={props.onStop} />
        </div>
      </div>
    </form>
  )
}

/** One button for both, so that it keeps the focus when its meaning changes. */
function SendButton(props: { running: boolean; reason: string | undefined; onStop(): void }) {
  const off = () => !props.running && props.reason !== undefined
  return (
    <Tooltip label={props.running ? t('stop') : (props.reason ?? t('send'))}>
      <button
        type={props.running ? 'button' : 'submit'}
        class="send"
        classList={{ stop: props.running }}
        aria-label={props.running ? t('stop') : t('send')}
        aria-disabled={off() ? 'true' : undefined}
        aria-describedby={off() ? 'send-reason' : undefined}
        onClick={(event) => {
          if (!props.running) return
          event.preventDefault()
          props.onStop()
        }}
      >
        <Show when={props.running} fallback={<Icon name="send" />}>
          <Icon name="stop" />
        </Show>
        <span class="hidden-text" id="send-reason">
          {off() ? props.reason : ''}
        </span>
      </button>
    </Tooltip>
  )
}
