/** A menu under a button: arrows, type-ahead, Escape, focus back to the button. Items are data-free children. */
import { DropdownMenu } from '@kobalte/core/dropdown-menu'
import { For, type JSX, Show } from 'solid-js'
import { Icon, type IconName } from './icon.tsx'
import { Tip } from './tip.tsx'

type Placement = 'top-end' | 'bottom-end' | 'top-start' | 'bottom-start'

/** With `icon` the trigger is an icon button named `label`; else `trigger` is its content and `label` its name. */
export function Menu(props: {
  label: string
  icon?: IconName
  small?: boolean
  trigger?: JSX.Element
  triggerClass?: string
  placement?: Placement
  children: JSX.Element
}) {
  return (
    <DropdownMenu placement={props.placement ?? 'bottom-end'} gutter={6} modal={false}>
      <Show
        when={props.icon}
        fallback={
          <DropdownMenu.Trigger class={props.triggerClass ?? 'sel'} aria-label={props.label}>
            {props.trigger}
          </DropdownMenu.Trigger>
        }
      >
        {(icon) => (
          <Tip label={props.label}>
            <DropdownMenu.Trigger class={`ib ${props.triggerClass ?? ''}`} aria-label={props.label}>
              <Icon name={icon()} small={props.small ?? false} />
            </DropdownMenu.Trigger>
          </Tip>
        )}
      </Show>
      <DropdownMenu.Portal>
        <DropdownMenu.Content class="pop menu">{props.children}</DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  )
}

export function MenuItem(props: { icon?: IconName; bad?: boolean; off?: boolean; hint?: string; onSelect(): void; children: JSX.Element }) {
  return (
    <DropdownMenu.Item
      class="item"
      classList={{ bad: props.bad ?? false }}
      disabled={props.off ?? false}
      onSelect={() => setTimeout(() => props.onSelect())}
    >
      <Show when={props.icon}>{(icon) => <Icon name={icon()} />}</Show>
      <span class="flex-1">{props.children}</span>
      <Show when={props.hint}>
        <span class="hint">{props.hint}</span>
      </Show>
    </DropdownMenu.Item>
  )
}

export const MenuLine = () => <DropdownMenu.Separator />

/** One of several, with a tick at the chosen one. */
export function MenuChoice<Value extends string>(props: {
  label: string
  value: Value
  options: readonly { value: Value; label: string; hint?: string }[]
  onChange(value: Value): void
}) {
  return (
    <DropdownMenu.RadioGroup value={props.value} onChange={(value) => props.onChange(value as Value)} aria-label={props.label}>
      <For each={props.options}>
        {(option) => (
          <DropdownMenu.RadioItem class="item" value={option.value}>
            <span class="flex-1">
              {option.label}
              <Show when={option.hint}>
                <span class="hint block">{option.hint}</span>
              </Show>
            </span>
            <DropdownMenu.ItemIndicator>
              <Icon name="check" small />
            </DropdownMenu.ItemIndicator>
          </DropdownMenu.RadioItem>
        )}
      </For>
    </DropdownMenu.RadioGroup>
  )
}
