import { For } from 'solid-js'

/** A small row of bars, one for each day. `label` says what they show; the exact figures are elsewhere. */
export function DayBars(props: { values: readonly number[]; label: string; tall?: boolean }) {
  const most = () => Math.max(...props.values, 0)
  const width = 5
  const step = 7
  const height = () => (props.tall ? 32 : 18)
  return (
    <svg
      class="day-bars"
      classList={{ tall: props.tall ?? false }}
      viewBox={`0 0 ${props.values.length * step - 2} ${height()}`}
      preserveAspectRatio={props.tall ? 'none' : 'xMinYMid meet'}
      role="img"
      aria-label={props.label}
    >
      <For each={props.values}>
        {(value, at) => {
          const tall = () => (most() === 0 || value === 0 ? 1 : Math.max(2, (value / most()) * height()))
          return <rect class={value === 0 ? 'none' : ''} x={at() * step} y={height() - tall()} width={width} height={tall()} rx="1" />
        }}
      </For>
    </svg>
  )
}
