import { For } from 'solid-js'
import { formatCount } from '#client/ui/format.ts'
import { t } from './messages.ts'
import { type Slice, sumOf } from './slice.ts'

const look = (slice: Slice | undefined) => {
  if (slice === undefined || slice.requests === 0) return 'none'
  const share = slice.failed / slice.requests
  return share === 0 ? 'good' : share < 0.05 ? 'some' : 'poor'
}

/** Slices of the last hour, oldest first: pale if all succeeded, strong if requests failed, a dash if there were none. */
export function Slices(props: { slices: readonly (Slice | undefined)[]; large?: boolean }) {
  const label = () => {
    const { requests, failed } = sumOf(props.slices)
    return t('lastHourBars', { requests: formatCount(requests), failed: formatCount(failed) })
  }
  return (
    <span class="slices" classList={{ large: props.large ?? false }} role="img" aria-label={label()} title={label()}>
      <For each={props.slices}>{(slice) => <i class={look(slice)} />}</For>
    </span>
  )
}
