/** The model of the next request: a quiet button; the list above the composer is loaded when it is first opened. */
import { createSignal, lazy, Show, Suspense } from 'solid-js'
import type { GroupRow } from '#shared/console/group'
import type { ModelRow } from '#shared/console/model'
import { Icon } from '#client/ui/icon.tsx'
import { reveal } from '../markdown/escape.ts'
import { say } from '../words.ts'

const ModelPopover = lazy(async () => ({ default: (await import('./model-popover.tsx')).ModelPopover }))

export interface ModelChoiceProps {
  rows: ModelRow[]
  model: string | null
  group: GroupRow | undefined
  /** Said above the list: choosing now starts a new conversation. */
  note?: string | undefined
  onChoose(model: string): void
}

export function ModelChoice(props: ModelChoiceProps) {
  const [used, setUsed] = createSignal(false)
  const plain = () => (
    <button type="button" class="sel min-w-0" aria-label={modelLabel(props)} aria-haspopup="dialog" aria-expanded="false" onClick={() => setUsed(true)}>
      <ModelName {...props} />
    </button>
  )
  return (
    <Show when={used()} fallback={plain()}>
      <Suspense fallback={plain()}>
        <ModelPopover {...props} />
      </Suspense>
    </Show>
  )
}

export const modelLabel = (props: ModelChoiceProps): string => say('modelIs', { model: reveal(props.model ?? say('noModel')) })

export function ModelName(props: ModelChoiceProps) {
  return (
    <>
      <b class="truncate">{reveal(props.model ?? say('noModel'))}</b>
      <Icon name="down" small />
    </>
  )
}
