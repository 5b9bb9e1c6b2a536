/** Buttons. A button that cannot be used right now stays focusable (`aria-disabled`), so that keyboard users can find out why. */
import { type JSX, Show, splitProps } from 'solid-js'
import { Icon, type IconName } from './icon.tsx'
import { Tooltip } from './tooltip.tsx'

interface ButtonProps extends JSX.ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'plain' | 'primary' | 'ghost' | 'bad' | 'bad primary' | 'bad ghost'
  size?: 'sm' | 'lg'
  icon?: IconName
  busy?: boolean
}

/** A button with an optional icon; `busy` shows a spinner and marks it as disabled. */
export function Button(props: ButtonProps) {
  const [own, rest] = splitProps(props, ['look', 'size', 'icon', 'busy', 'children', 'class'])
  return (
    <button
      type="button"
      {...rest}
      class={`btn ${own.look ?? 'plain'} ${own.size ?? ''} ${own.class ?? ''}`}
      aria-busy={own.busy ? 'true' : undefined}
      aria-disabled={own.busy ? 'true' : rest['aria-disabled']}
    >
      <Show when={own.busy}>
        <span class="dot" />
      </Show>
      <Show when={own.icon && !own.busy ? own.icon : undefined}>{(name) => <Icon name={name()} />}</Show>
      {own.children}
    </button>
  )
}

interface IconButtonProps extends Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, 'title'> {
  name: IconName
  label: string
  small?: boolean
}

/** An icon with a name for everyone: as its accessible name, and as a tooltip. */
export function IconButton(props: IconButtonProps) {
  const [own, rest] = splitProps(props, ['name', 'label', 'small', 'class'])
  return (
    <Tooltip label={own.label}>
      <button type="button" {...rest} class={`ib ${own.class ?? ''}`} aria-label={own.label}>
        <Icon name={own.name} small={own.small ?? false} />
      </button>
    </Tooltip>
  )
}
