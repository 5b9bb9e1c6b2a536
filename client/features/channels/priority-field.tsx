import type { ChannelRow } from '#shared/console/channel'
import { t } from './messages.ts'
import { isWhole } from './whole-number.ts'

/** The priority of a channel, edited in place: Enter or blur saves it, Escape reverts it. */
export function PriorityField(props: { row: ChannelRow; onChange(priority: number): void }) {
  const take = (field: HTMLInputElement) => {
    const typed = field.value.trim()
    if (!isWhole(typed, -1_000_000) || Number(typed) === props.row.priority) field.value = String(props.row.priority)
    else props.onChange(Number(typed))
  }
  return (
    <input
      class="in quiet cell-number num"
      inputmode="numeric"
      autocomplete="off"
      aria-label={t('priorityOf', { name: props.row.name })}
      value={props.row.priority}
      onChange={(event) => take(event.currentTarget)}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.currentTarget.value = String(props.row.priority)
        event.currentTarget.blur()
      }}
    />
  )
}
