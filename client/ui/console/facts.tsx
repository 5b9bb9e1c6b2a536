import { For, type JSX, Show } from 'solid-js'

/** Names and values, in pairs. Pairs without a value are left out. `long`: the names are sentences, which get the space they need. */
export function Facts(props: { facts: readonly (readonly [name: string, value: JSX.Element])[]; long?: boolean }) {
  return (
    <dl class="dl" classList={{ long: props.long ?? false }}>
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
