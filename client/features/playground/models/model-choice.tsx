import { createSignal, Show, Suspense } from 'solid-js'
import { later } from '#client/ui/later.ts'
import { type ModelChoiceProps, ModelName, modelLabel } from './model-name.tsx'

const ModelPopover = later(async () => (await import('./model-popover.tsx')).ModelPopover)

/** The model of the next request: a quiet button. Its list is loaded when it is first opened. */
export function ModelChoice(props: ModelChoiceProps) {
  const [used, setUsed] = createSignal(false)
  const plain = () => (
    <button
      type="button"
      class="sel min-w-0"
      aria-label={modelLabel(props)}
      aria-haspopup="dialog"
      aria-expanded="false"
      onClick={() => setUsed(true)}
    >
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
