/** A field whose value is chosen from a possibly long list: typing narrows the list. The ARIA combobox pattern. */
import { createEffect, createSignal, createUniqueId, For, on, Show } from 'solid-js'
import { tc } from './messages.ts'

/** Most options that are drawn at once; typing brings up the others. */
const mostShown = 80

interface ComboProps {
  label: string
  value: string
  options: readonly string[]
  mono?: boolean
  readonly?: boolean
  /** Takes the focus, and opens, as soon as it is there. */
  focused?: boolean
  /** Shown without a value. */
  placeholder?: string
  describedBy?: string | undefined
  id?: string
  /** Called with the chosen value; empty for none. */
  onChange(value: string): void
  /** The field was left or Escape pressed without a choice. */
  onLeave?(): void
}

/** The field with its label above and its hint below. */
export function ComboField(props: Omit<ComboProps, 'id' | 'describedBy'> & { hint?: string }) {
  const id = createUniqueId()
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <Combo {...props} id={id} describedBy={props.hint ? `${id}-hint` : undefined} />
      <Show when={props.hint}>
        <span class="hint" id={`${id}-hint`}>
          {props.hint}
        </span>
      </Show>
    </div>
  )
}

/** The field alone. Text that is not an option reverts to the value; without any options it is accepted as it is. */
export function Combo(props: ComboProps) {
  const list = createUniqueId()
  const [text, setText] = createSignal(props.value)
  const [isOpen, setOpen] = createSignal(false)
  const [active, setActive] = createSignal(0)
  createEffect(
    on(
      () => props.value,
      (value) => setText(value),
      { defer: true },
    ),
  )
  const found = () => {
    const words = text().trim().toLowerCase()
    // A chosen value does not narrow the list.
    return words === '' || text() === props.value ? props.options : props.options.filter((option) => option.toLowerCase().includes(words))
  }
  const shown = () => found().slice(0, mostShown)
  const open = () => {
    if (props.readonly || isOpen()) return
    setActive(Math.max(0, shown().indexOf(props.value)))
    setOpen(true)
  }
  const choose = (value: string) => {
    setOpen(false)
    setText(value)
    if (value !== props.value) props.onChange(value)
    else props.onLeave?.()
  }
  /** The typed text as a value; undefined if it is not one. */
  const typed = () => {
    const words = text().trim()
    if (words === '' || props.options.length === 0) return words
    return props.options.find((option) => option.toLowerCase() === words.toLowerCase())
  }
  const leave = () => {
    setOpen(false)
    const value = typed()
    if (value !== undefined && value !== props.value) return choose(value)
    setText(props.value)
    props.onLeave?.()
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      if (!isOpen()) return open()
      const last = shown().length - 1
      setActive(event.key === 'ArrowDown' ? Math.min(last, active() + 1) : Math.max(0, active() - 1))
      document.getElementById(`${list}-${active()}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const value = typed() ?? (isOpen() ? shown()[active()] : undefined)
      if (value !== undefined) choose(text() === props.value && isOpen() ? (shown()[active()] ?? value) : value)
    } else if (event.key === 'Escape' && isOpen()) {
      event.preventDefault()
      event.stopPropagation()
      setText(props.value)
      setOpen(false)
      props.onLeave?.()
    }
  }
  return (
    <span class="combo">
      <input
        ref={(field) => props.focused && queueMicrotask(() => field.focus())}
        id={props.id}
        class="in"
        classList={{ 'font-mono': props.mono ?? false }}
        role="combobox"
        aria-label={props.id ? undefined : props.label}
        aria-describedby={props.describedBy}
        aria-expanded={isOpen() ? 'true' : 'false'}
        aria-autocomplete="list"
        aria-controls={list}
        aria-activedescendant={isOpen() && shown().length > 0 ? `${list}-${active()}` : undefined}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder={props.placeholder ?? tc('chooseOrType')}
        readonly={props.readonly}
        value={text()}
        onFocus={open}
        onClick={open}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setActive(0)
          setOpen(true)
        }}
        onKeyDown={press}
        onBlur={leave}
      />
      {/* Always rendered, so that `aria-controls` has a target. A press must not take the focus from the field. */}
      <div
        id={list}
        class="pop combo-list"
        role="listbox"
        aria-label={props.label}
        hidden={!isOpen() || props.options.length === 0}
        onMouseDown={(event) => event.preventDefault()}
      >
        <For each={shown()} fallback={<p class="px-2 py-1.5 text-[13px] text-ink-3">{tc('noSuch')}</p>}>
          {(option, at) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the field's
            <div
              id={`${list}-${at()}`}
              role="option"
              class="item"
              classList={{ active: at() === active(), 'font-mono': props.mono ?? false }}
              aria-selected={option === props.value ? 'true' : 'false'}
              onClick={() => choose(option)}
            >
              <span class="min-w-0 flex-1 truncate">{option}</span>
            </div>
          )}
        </For>
        <Show when={found().length > mostShown}>
          <p class="px-2 py-1.5 text-[12px] text-ink-3">{tc('moreTyped', { count: found().length - mostShown })}</p>
        </Show>
      </div>
    </span>
  )
}
