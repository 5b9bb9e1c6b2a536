import { For, type JSX, Show } from 'solid-js'

/** A figure of a strip. */
export interface Stat {
  label: string
  value: JSX.Element
  note?: JSX.Element
  below?: JSX.Element
}

/** Up to five figures in one bordered strip. */
export function Stats(props: { label: string; stats: readonly Stat[] }) {
  return (
    <dl class="stats" aria-label={props.label}>
      <For each={props.stats}>
        {(stat) => (
          <div class="stat">
            <dt>{stat.label}</dt>
            <dd class="num">{stat.value}</dd>
            <Show when={stat.note}>
              <dd class="stat-note num">{stat.note}</dd>
            </Show>
            <Show when={stat.below}>
              <dd class="stat-below">{stat.below}</dd>
            </Show>
          </div>
        )}
      </For>
    </dl>
  )
}
