/** The model of the next request: a list with search above the composer, worked by arrows, Enter and Escape. */
import { Popover } from '@kobalte/core/popover'
import { createSignal } from 'solid-js'
import { Icon } from '#client/ui/icon.tsx'
import type { GroupRow } from '#shared/console/group'
import type { ModelRow } from '#shared/console/model'
import { say } from '../words.ts'
import { ModelList } from './model-list.tsx'

export function ModelChoice(props: {
  rows: ModelRow[]
  model: string | null
  group: GroupRow | undefined
  /** Said above the list: choosing now starts a new conversation. */
  note?: string | undefined
  onChoose(model: string): void
}) {
  const [open, setOpen] = createSignal(false)
  return (
    <Popover open={open()} onOpenChange={setOpen} placement="top-end" gutter={10} modal={false}>
      <Popover.Trigger class="sel min-w-0" aria-label={say('modelIs', { model: props.model ?? say('noModel') })}>
        <b class="truncate">{props.model ?? say('noModel')}</b>
        <Icon name="down" small />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content class="pop w-[min(600px,calc(100vw-16px))]" aria-label={say('chooseModel')}>
          <ModelList
            rows={props.rows}
            chosen={props.model}
            group={props.group}
            note={props.note}
            onChoose={(model) => {
              setOpen(false)
              props.onChoose(model)
            }}
          />
        </Popover.Content>
      </Popover.Portal>
    </Popover>
  )
}
