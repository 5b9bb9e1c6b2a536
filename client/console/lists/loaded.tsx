import { type JSX, Show } from 'solid-js'
import { detailOf, explain } from '#client/console/explain.ts'
import type { Load } from '#client/console/load.ts'
import { Failure } from '#client/ui/console/states.tsx'

/**
 * What a page makes of something that it reads: its content, which knows what to show while nothing has come; and where nothing came because it
 * failed, the failure and a way to try again. What was read before stays. `onRetry`: in place of reading `of` again.
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
