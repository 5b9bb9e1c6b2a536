import { type JSX, Show } from 'solid-js'
import { Icon, type IconName } from '#client/ui/icon.tsx'

/** A line of a card: title, description and actions. */
export function Line(props: { icon?: IconName; title: string; hint: string; children: JSX.Element }) {
  return (
    <div class="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line px-4 py-3">
      <Show when={props.icon}>
        {(name) => (
          <span class="text-ink-3">
            <Icon name={name()} />
          </span>
        )}
      </Show>
      <span class="min-w-[200px] flex-1">
        <span class="block text-[13px]/[18px] font-medium">{props.title}</span>
        <span class="hint block">{props.hint}</span>
      </span>
      {props.children}
    </div>
  )
}
