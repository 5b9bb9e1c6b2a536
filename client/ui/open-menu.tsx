import { DropdownMenu } from '@kobalte/core/dropdown-menu'
import { For, Match, Show, Switch } from 'solid-js'
import { Icon } from './icon.tsx'
import { type MenuEntry, type MenuProps, triggerClass, triggerContent } from './menu-trigger.tsx'

/** The menu itself, open from the start. Loaded by `Menu` on first use. */
export function OpenMenu(props: MenuProps) {
  // Over a dialog the menu must be modal itself, or the dialog hides it from screen readers.
  const overDialog = document.querySelector('.dialog, .sheet') !== null
  let chosen = () => {}
  /** Runs the chosen action once the menu has closed and restored the focus, so that what opens next can take and restore it. */
  const finish = () => {
    const run = chosen
    chosen = () => {}
    queueMicrotask(run)
  }
  const choose = (run: () => void) => {
    chosen = run
  }
  return (
    <DropdownMenu placement={props.placement ?? 'bottom-end'} gutter={6} modal={overDialog} defaultOpen>
      <DropdownMenu.Trigger class={triggerClass(props)} aria-label={props.ownName ? undefined : props.label}>
        {triggerContent(props)}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content class="pop menu" onCloseAutoFocus={finish}>
          <For each={props.items()}>{(entry) => <Entry entry={entry} onChoose={choose} />}</For>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu>
  )
}

interface EntryProps<Kind extends MenuEntry> {
  entry: Kind
  onChoose(run: () => void): void
}

function Entry(props: EntryProps<MenuEntry>) {
  const item = () => (props.entry.kind === 'item' ? props.entry : undefined)
  const choice = () => (props.entry.kind === 'choice' ? props.entry : undefined)
  const check = () => (props.entry.kind === 'check' ? props.entry : undefined)
  return (
    <Switch fallback={<DropdownMenu.Separator />}>
      <Match when={item()}>{(one) => <Item entry={one()} onChoose={props.onChoose} />}</Match>
      <Match when={choice()}>{(one) => <Choice entry={one()} onChoose={props.onChoose} />}</Match>
      <Match when={check()}>{(one) => <Check entry={one()} />}</Match>
    </Switch>
  )
}

function Item(props: EntryProps<Extract<MenuEntry, { kind: 'item' }>>) {
  return (
    <DropdownMenu.Item
      class="item"
      classList={{ bad: props.entry.bad ?? false }}
      onSelect={() => props.onChoose(() => props.entry.onSelect())}
    >
      <Show when={props.entry.icon}>{(icon) => <Icon name={icon()} />}</Show>
      <span class="flex-1">{props.entry.label}</span>
      <Show when={props.entry.hint}>
        <span class="hint">{props.entry.hint}</span>
      </Show>
    </DropdownMenu.Item>
  )
}

/** A checkbox entry; the menu stays open for the next one. */
function Check(props: { entry: Extract<MenuEntry, { kind: 'check' }> }) {
  return (
    <DropdownMenu.CheckboxItem
      class="item"
      closeOnSelect={false}
      checked={props.entry.checked()}
      onChange={(checked) => props.entry.onChange(checked)}
    >
      <span class="flex-1">{props.entry.label}</span>
      <DropdownMenu.ItemIndicator>
        <Icon name="check" small />
      </DropdownMenu.ItemIndicator>
    </DropdownMenu.CheckboxItem>
  )
}

/** A radio entry. */
function Choice(props: EntryProps<Extract<MenuEntry, { kind: 'choice' }>>) {
  return (
    <DropdownMenu.RadioGroup
      value={props.entry.value}
      onChange={(value) => props.onChoose(() => props.entry.onChange(value))}
      aria-label={props.entry.label}
    >
      <For each={props.entry.options}>
        {(option) => (
          <DropdownMenu.RadioItem class="item" value={option.value} closeOnSelect>
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
