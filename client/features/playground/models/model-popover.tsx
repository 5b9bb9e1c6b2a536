import { Popover } from '@kobalte/core/popover'
import { createSignal } from 'solid-js'
import { t } from '#client/features/playground/messages/messages.ts'
import { ModelList } from './model-list.tsx'
import { type ModelChoiceProps, ModelName, modelLabel } from './model-name.tsx'

/** The model list in a popover above the composer, so that the draft stays readable. Open from the start. */
export function ModelPopover(props: ModelChoiceProps) {
  const [open, setOpen] = createSignal(true)
  let trigger: HTMLButtonElement | undefined
  // In the composer the whole box is the anchor; elsewhere the button is.
  const anchor = () => (trigger?.closest('.comp') ?? trigger)?.getBoundingClientRect()
  return (
    <Popover open={open()} onOpenChange={setOpen} placement="top-end" gutter={10} modal={false} getAnchorRect={anchor}>
      <Popover.Trigger ref={trigger} class="sel min-w-0" aria-label={modelLabel(props)}>
        <ModelName {...props} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content class="pop models-pop" aria-label={t('chooseModel')}>
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
