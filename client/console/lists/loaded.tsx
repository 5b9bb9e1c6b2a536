import { type JSX, Show } from 'solid-js'
import type { Load } from '#client/console/load.ts'
import { LoadFailure } from '#client/console/when-loaded.tsx'

/**
 * Shows loaded data: the content, which handles the loading state itself; or, if the first load
 * failed, the error with a retry button. Earlier data stays visible. `onRetry` replaces reloading `of`.
 */
export function Loaded(props: { of: Pick<Load<unknown>, 'value' | 'error' | 'reload'>; onRetry?: () => void; children: JSX.Element }) {
  return (
    <Show when={props.of.error() === undefined || props.of.value()} fallback={<LoadFailure of={props.of} onRetry={props.onRetry} />}>
      {props.children}
    </Show>
  )
}
