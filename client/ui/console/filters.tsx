/** The line above a table: search, filter chips, segments. */
import { createEffect, createSignal, For, type JSX, on, onCleanup, Show } from 'solid-js'
import { Icon, type IconName } from '#client/ui/icon.tsx'
import { Menu } from '#client/ui/menu.tsx'
import { tc } from './messages.ts'

/** A line of filters. */
export function FilterBar(props: { children: JSX.Element; end?: JSX.Element }) {
  return (
    <div class="filters">
      {props.children}
      <Show when={props.end}>
        <span class="flex-1" />
        {props.end}
      </Show>
    </div>
  )
}

/** A search field; `onSearch` is called 250 ms after typing, and at once on Enter. */
export function SearchField(props: { label: string; value: string; onSearch(text: string): void }) {
  const [text, setText] = createSignal(props.value)
  let field: HTMLInputElement | undefined
  let pause: ReturnType<typeof setTimeout> | undefined
  createEffect(
    on(
      () => props.value,
      (value) => document.activeElement !== field && setText(value),
    ),
  )
  const press = (event: KeyboardEvent) => {
    const target = event.target
    const inField = target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
    if (event.key !== '/' || inField || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field?.focus()
  }
  addEventListener('keydown', press)
  onCleanup(() => {
    clearTimeout(pause)
    removeEventListener('keydown', press)
  })
  const go = (value: string) => {
    clearTimeout(pause)
    props.onSearch(value.trim())
  }
  return (
    <form
      class="search-field"
      onSubmit={(event) => {
        event.preventDefault()
        go(text())
      }}
    >
      <Icon name="search" />
      <input
        ref={field}
        class="in quiet"
        type="search"
        aria-label={props.label}
        placeholder={props.label}
        autocomplete="off"
        spellcheck={false}
        value={text()}
        onInput={(event) => {
          const { value } = event.currentTarget
          setText(value)
          clearTimeout(pause)
          pause = setTimeout(() => go(value), 250)
        }}
      />
    </form>
  )
}

/** One of several values, chosen from a menu. An empty value is "all". */
export function FilterChip(props: {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  icon?: IconName
  /** The label of the empty value; "all" by default. */
  none?: string
  onChange(value: string): void
}) {
  const shown = () => props.options.find((option) => option.value === props.value)?.label ?? props.value
  return (
    <Menu
      label={props.label}
      ownName
      placement="bottom-start"
      triggerClass={props.value === '' ? 'chip' : 'chip on'}
      trigger={
        <>
          <Show when={props.icon}>{(icon) => <Icon name={icon()} />}</Show>
          <span>{props.label}</span>
          <b>{props.value === '' ? (props.none ?? tc('all')) : shown()}</b>
          <Icon name="down" />
        </>
      }
      items={() => [
        {
          kind: 'choice',
          label: props.label,
          value: props.value,
          options: [{ value: '', label: props.none ?? tc('all') }, ...props.options],
          onChange: props.onChange,
        },
      ]}
    />
  )
}

/** A segmented control: a few values side by side, of which one is selected. */
export function Segments<Value extends string>(props: {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange(value: Value): void
}) {
  return (
    <fieldset class="seg" aria-label={props.label}>
      <For each={props.options}>
        {(option) => (
          <button type="button" aria-pressed={option.value === props.value} onClick={() => props.onChange(option.value)}>
            {option.label}
          </button>
        )}
      </For>
    </fieldset>
  )
}
