/** Fields of the console's forms: label above, hint below, an error in the hint's place. */
import { type Accessor, createUniqueId, For, type JSX, Show, untrack } from 'solid-js'
import { Switch } from '#client/ui/switch.tsx'

interface Labelled {
  label: string
  hint?: string | undefined
  error?: string | undefined
  /** Beside the label: where the value comes from. */
  mark?: JSX.Element
}

/**
 * The frame of a field: passes its control an id and a description id. The control stays the same element when an error comes or goes: a
 * new one would lose a key pressed at that moment.
 */
function Framed(props: Labelled & { children: (id: string, describedBy: Accessor<string | undefined>) => JSX.Element }) {
  const id = createUniqueId()
  const described = () => (props.error ? `${id}-wrong` : props.hint ? `${id}-hint` : undefined)
  return (
    <div class="field">
      <Show when={props.mark} fallback={<label for={id}>{props.label}</label>}>
        <span class="field-head">
          <label for={id}>{props.label}</label>
          {props.mark}
        </span>
      </Show>
      {untrack(() => props.children(id, described))}
      <Show
        when={props.error}
        fallback={
          <Show when={props.hint}>
            <span class="hint" id={`${id}-hint`}>
              {props.hint}
            </span>
          </Show>
        }
      >
        <span class="wrong" id={`${id}-wrong`}>
          {props.error}
        </span>
      </Show>
    </div>
  )
}

/** A line of text. */
export function TextField(
  props: Labelled & {
    value: string
    type?: string
    placeholder?: string
    mono?: boolean
    readonly?: boolean
    required?: boolean
    maxlength?: number
    autocomplete?: string
    list?: readonly string[]
    onChange(value: string): void
  },
) {
  return (
    <Framed label={props.label} hint={props.hint} error={props.error} mark={props.mark}>
      {(id, described) => (
        <>
          <input
            id={id}
            class="in"
            classList={{ 'font-mono': props.mono ?? false }}
            type={props.type ?? 'text'}
            placeholder={props.placeholder}
            readonly={props.readonly}
            required={props.required}
            maxlength={props.maxlength}
            autocomplete={props.autocomplete ?? 'off'}
            autocapitalize="none"
            spellcheck={false}
            list={props.list ? `${id}-list` : undefined}
            aria-invalid={props.error ? 'true' : undefined}
            aria-describedby={described()}
            value={props.value}
            onInput={(event) => props.onChange(event.currentTarget.value)}
          />
          <Show when={props.list}>
            {(list) => (
              <datalist id={`${id}-list`}>
                <For each={list()}>{(value) => <option value={value} />}</For>
              </datalist>
            )}
          </Show>
        </>
      )}
    </Framed>
  )
}

/** A number with its unit inside the field. */
export function UnitField(
  props: Labelled & {
    value: string
    unit: string
    before?: string
    placeholder?: string
    readonly?: boolean
    onChange(value: string): void
  },
) {
  return (
    <Framed label={props.label} hint={props.hint} error={props.error} mark={props.mark}>
      {(id, described) => (
        <span class="unit">
          <input
            id={id}
            class="in num"
            style={{ 'padding-right': `calc(${widthOf(props.unit)}ch + 18px)` }}
            inputmode="decimal"
            placeholder={props.placeholder}
            readonly={props.readonly}
            autocomplete="off"
            aria-invalid={props.error ? 'true' : undefined}
            aria-describedby={described()}
            value={props.value}
            onInput={(event) => props.onChange(event.currentTarget.value)}
          />
          <span aria-hidden="true">{props.unit}</span>
        </span>
      )}
    </Framed>
  )
}

/** The width of a text in characters; Chinese ones count twice. */
const widthOf = (text: string): number => [...text].reduce((sum, letter) => sum + (letter > '\u2e7f' ? 2 : 1), 0)

/** Several lines of text. */
export function AreaField(
  props: Labelled & {
    value: string
    rows?: number
    mono?: boolean
    placeholder?: string
    readonly?: boolean
    onChange(value: string): void
  },
) {
  return (
    <Framed label={props.label} hint={props.hint} error={props.error} mark={props.mark}>
      {(id, described) => (
        <textarea
          id={id}
          class="in"
          classList={{ 'font-mono': props.mono ?? false }}
          rows={props.rows ?? 3}
          placeholder={props.placeholder}
          readonly={props.readonly}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={props.error ? 'true' : undefined}
          aria-describedby={described()}
          value={props.value}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Framed>
  )
}

/** A native select. */
export function SelectField(
  props: Labelled & {
    value: string
    options: readonly { value: string; label: string }[]
    disabled?: boolean
    onChange(value: string): void
  },
) {
  return (
    <Framed label={props.label} hint={props.hint} error={props.error} mark={props.mark}>
      {(id, described) => (
        <select
          id={id}
          class="in"
          disabled={props.disabled}
          aria-invalid={props.error ? 'true' : undefined}
          aria-describedby={described()}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        >
          <For each={props.options}>
            {(option) => (
              <option value={option.value} selected={option.value === props.value}>
                {option.label}
              </option>
            )}
          </For>
        </select>
      )}
    </Framed>
  )
}

/** A switch with its label and description. */
export function SwitchField(props: { label: string; hint?: string; on: boolean; onChange(on: boolean): void }) {
  const id = createUniqueId()
  return (
    <div class="switch-field">
      <span class="min-w-0 flex-1">
        <span class="block text-[13px]/[18px] font-medium" aria-hidden="true">
          {props.label}
        </span>
        <Show when={props.hint}>
          <span class="hint block" id={id}>
            {props.hint}
          </span>
        </Show>
      </span>
      <Switch label={props.label} on={props.on} onChange={props.onChange} {...(props.hint ? { describedBy: id } : {})} />
    </div>
  )
}

/** A list of checkboxes. */
export function CheckList(props: {
  label: string
  hint?: string
  options: readonly { value: string; label: string; note?: string }[]
  chosen: readonly string[]
  readonly?: boolean
  onChange(chosen: string[]): void
}) {
  const toggle = (value: string) =>
    props.onChange(props.chosen.includes(value) ? props.chosen.filter((one) => one !== value) : [...props.chosen, value])
  return (
    <fieldset class="field">
      <legend class="mb-1.5 text-[13px]/[18px] font-medium">{props.label}</legend>
      {/* If no checkbox can be focused, the list itself can, so that keyboards can scroll it. */}
      <div class="checks" tabindex={props.readonly ? 0 : undefined}>
        <For each={props.options}>
          {(option) => (
            <label class="check">
              <input
                type="checkbox"
                checked={props.chosen.includes(option.value)}
                disabled={props.readonly}
                onChange={() => toggle(option.value)}
              />
              <span class="min-w-0 truncate">{option.label}</span>
              <Show when={option.note}>
                <small>{option.note}</small>
              </Show>
            </label>
          )}
        </For>
      </div>
      <Show when={props.hint}>
        <span class="hint">{props.hint}</span>
      </Show>
    </fieldset>
  )
}

/** A group of fields with a heading. */
export function Fieldset(props: { title: string; hint?: string; children: JSX.Element }) {
  return (
    <fieldset class="fieldset">
      <legend>{props.title}</legend>
      <Show when={props.hint}>
        <p class="hint">{props.hint}</p>
      </Show>
      {props.children}
    </fieldset>
  )
}
