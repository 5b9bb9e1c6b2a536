/**
 * A menu under a button. The button is plain until it is used for the first time: only then is the real menu loaded and
 * made, so that a page with hundreds of menus pays for none of them. Items are data.
 */
import { createSignal, type JSX, lazy, Show, Suspense } from 'solid-js'
import { Icon, type IconName } from './icon.tsx'
import { Tip } from './tip.tsx'

export type MenuEntry =
  | { kind: 'item'; label: string; icon?: IconName; bad?: boolean; hint?: string; onSelect(): void }
  | { kind: 'line' }
  | { kind: 'choice'; label: string; value: string; options: readonly MenuOption[]; onChange(value: string): void }

export interface MenuOption {
  value: string
  label: string
  hint?: string
}

export interface MenuProps {
  label: string
  /** With an icon the trigger is an icon button named `label`; else `trigger` is its content and `label` its name. */
  icon?: IconName
  small?: boolean
  trigger?: JSX.Element
  triggerClass?: string
  placement?: 'top-end' | 'bottom-end' | 'top-start' | 'bottom-start'
  items(): MenuEntry[]
}

const OpenMenu = lazy(async () => ({ default: (await import('./menu-open.tsx')).OpenMenu }))

export function Menu(props: MenuProps) {
  const [used, setUsed] = createSignal(false)
  const plain = () => (
    <button
      type="button"
      class={triggerClass(props)}
      aria-label={props.label}
      aria-haspopup="menu"
      aria-expanded="false"
      onClick={() => setUsed(true)}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
        event.preventDefault()
        setUsed(true)
      }}
    >
      {triggerContent(props)}
    </button>
  )
  return (
    <TipWhenIcon {...props}>
      <Show when={used()} fallback={plain()}>
        <Suspense fallback={plain()}>
          <OpenMenu {...props} />
        </Suspense>
      </Show>
    </TipWhenIcon>
  )
}

function TipWhenIcon(props: MenuProps & { children: JSX.Element }) {
  return (
    <Show when={props.icon} fallback={props.children}>
      <Tip label={props.label}>{props.children}</Tip>
    </Show>
  )
}

export const triggerClass = (props: MenuProps): string => (props.icon ? `ib ${props.triggerClass ?? ''}` : (props.triggerClass ?? 'sel'))

export function triggerContent(props: MenuProps): JSX.Element {
  return (
    <Show when={props.icon} fallback={props.trigger}>
      {(icon) => <Icon name={icon()} small={props.small ?? false} />}
    </Show>
  )
}
