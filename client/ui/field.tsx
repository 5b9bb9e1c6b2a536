import { createUniqueId, type JSX, Show, splitProps } from 'solid-js'

interface FieldProps extends JSX.InputHTMLAttributes<HTMLInputElement> {
  label: string
  hint?: string
  error?: string | undefined
}

/** A labelled input with an optional hint, and an error in its place. Both are linked to the input, so that an error is never shown by colour alone. */
export function Field(props: FieldProps) {
  const [own, rest] = splitProps(props, ['label', 'hint', 'error', 'class'])
  const id = createUniqueId()
  return (
    <div class="field">
      <label for={id}>{own.label}</label>
      <input
        {...rest}
        id={id}
        class={`in ${own.class ?? ''}`}
        aria-invalid={own.error ? 'true' : undefined}
        aria-describedby={own.error ? `${id}-wrong` : own.hint ? `${id}-hint` : undefined}
      />
      <Show when={!own.error && own.hint}>
        <span class="hint" id={`${id}-hint`}>
          {own.hint}
        </span>
      </Show>
      <Show when={own.error}>
        <span class="wrong" id={`${id}-wrong`}>
          {own.error}
        </span>
      </Show>
    </div>
  )
}
