import { For, type JSX, Show } from 'solid-js'

/** Names and values, in pairs. Pairs without a value are left out. */
export function Facts(props: { facts: readonly (readonly [name: string, value: JSX.Element])[] }) {
  return (
    <dl class="dl">
      <For each={props.facts}>
        {([name, value]) => (
          <Show when={value !== undefined && value !== null && value !== ''}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Show>
        )}
      </For>
    </dl>
  )
}
