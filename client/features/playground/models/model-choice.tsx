/** The model of the next request: a quiet button; the list above the composer is loaded when it is first opened. */
import { createSignal, lazy, Show, Suspense } from 'solid-js'
import { type ModelChoiceProps, ModelName, modelLabel } from './model-name.tsx'

const ModelPopover = lazy(async () => ({ default: (await import('./model-popover.tsx')).ModelPopover }))

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
