import { type JSX, Show } from 'solid-js'
import { detailOf, explain } from '#client/console/explain.ts'
import type { Load } from '#client/console/load.ts'
import { Failure } from '#client/ui/console/states.tsx'

/**
 * Shows loaded data: the content, which handles the loading state itself; or, if the first load
 * failed, the error with a retry button. Earlier data stays visible. `onRetry` replaces reloading `of`.
 */
export function Loaded(props: { of: Pick<Load<unknown>, 'value' | 'error' | 'reload'>; onRetry?: () => void; children: JSX.Element }) {
  return (
    <Show
      when={props.of.error() === undefined || props.of.value()}
      fallback={
        <Show when={props.of.error()}>
          {(error) => (
            <Failure text={explain(error())} detail={detailOf(error())} onRetry={props.onRetry ?? (() => void props.of.reload())} />
          )}
        </Show>
      }
    >
      {props.children}
    </Show>
  )
}
