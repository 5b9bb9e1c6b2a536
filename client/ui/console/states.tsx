/** Placeholders for a page's content: loading, empty, no match, or a failure. */
import { type Accessor, createEffect, createSignal, For, type JSX, onCleanup, Show, useContext } from 'solid-js'
import { RefusalContext } from '#client/ui/attempt.ts'
import { Button } from '#client/ui/button.tsx'
import { tc } from './messages.ts'

/** Nothing is here yet: what this is, why it is empty, and the next step. */
export function Empty(props: { title: string; children?: JSX.Element; action?: JSX.Element }) {
  return (
    <div class="blank">
      <h2>{props.title}</h2>
      <p>{props.children}</p>
      <Show when={props.action}>
        <div class="mt-2.5 flex flex-wrap gap-2">{props.action}</div>
      </Show>
    </div>
  )
}

/** No row matches the filters. `filters` names them. */
export function NoMatch(props: { filters: string; onClear(): void }) {
  return (
    <Empty title={tc('noMatch')} action={<Button onClick={() => props.onClear()}>{tc('clearFilters')}</Button>}>
      {tc('noMatchWhy', { filters: props.filters })}
    </Empty>
  )
}

/** A failure in place of the content. */
export function Failure(props: { text: string; detail?: string | undefined; onRetry?: () => void }) {
  return (
    <div class="notice bad grid justify-items-start gap-2" role="alert">
      <div>
        <b class="font-medium">{tc('failedToLoad')}</b>
        <p>{props.text}</p>
        <Show when={props.detail}>
          <p class="tiny mono text-ink-2">{props.detail}</p>
        </Show>
      </div>
      <Show when={props.onRetry}>{(retry) => <Button onClick={() => retry()()}>{tc('retry')}</Button>}</Show>
    </div>
  )
}

/** Grey bars where text will be, after 300 ms of waiting. */
export function Skeleton(props: { lines?: number | undefined }) {
  const [late, setLate] = createSignal(false)
  const timer = setTimeout(() => setLate(true), 300)
  onCleanup(() => clearTimeout(timer))
  return (
    <div class="skeleton" role="status" aria-label={tc('loading')}>
      <Show when={late()}>
        <For each={Array.from({ length: props.lines ?? 6 })}>{(_, at) => <span class={`sk sk-${at() % 4}`} />}</For>
      </Show>
    </div>
  )
}

/** The error of a form if none of its fields shows it; in a dialog it is in the foot. */
export function Refusal(props: { of: { unshown: Accessor<string | undefined> }; class?: string }) {
  const place = useContext(RefusalContext)
  if (place) {
    createEffect(() => place(props.of.unshown()))
    onCleanup(() => place(undefined))
  }
  return <Show when={!place && props.of.unshown()}>{(text) => <p class={`notice bad ${props.class ?? ''}`}>{text()}</p>}</Show>
}
