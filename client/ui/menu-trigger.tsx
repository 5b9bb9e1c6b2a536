/** Menu entries as data, and the menu's button, which looks the same before and after the menu itself is loaded. */
import { type JSX, Show } from 'solid-js'
import { Icon, type IconName } from './icon.tsx'

/** An entry of a menu: an action, a separator, a checkbox, or a radio group. */
export type MenuEntry =
  | { kind: 'item'; label: string; icon?: IconName; bad?: boolean; hint?: string; onSelect(): void }
  | { kind: 'line' }
  | { kind: 'check'; label: string; checked(): boolean; onChange(checked: boolean): void }
  | { kind: 'choice'; label: string; value: string; options: readonly MenuOption[]; onChange(value: string): void }

/** An option of a choice. */
export interface MenuOption {
  value: string
  label: string
  hint?: string
}

/** Props of a menu; see `Menu`. */
export interface MenuProps {
  label: string
  /** With an icon the trigger is an icon button named `label`; else `trigger` is its content and `label` its name. */
  icon?: IconName
  small?: boolean
  trigger?: JSX.Element
  triggerClass?: string
  /** The trigger's content names it well enough; `label` names the menu of an icon only. */
  ownName?: boolean
  placement?: 'top-end' | 'bottom-end' | 'top-start' | 'bottom-start'
  items(): MenuEntry[]
}

/** CSS classes of the menu's button. */
export const triggerClass = (props: MenuProps): string => (props.icon ? `ib ${props.triggerClass ?? ''}` : (props.triggerClass ?? 'sel'))

/** Content of the menu's button: its icon, or what the caller gave. */
export function triggerContent(props: MenuProps): JSX.Element {
  return (
    <Show when={props.icon} fallback={props.trigger}>
      {(icon) => <Icon name={icon()} small={props.small ?? false} />}
    </Show>
  )
}
