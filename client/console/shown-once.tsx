import { type Accessor, createSignal, type JSX, Show, Suspense } from 'solid-js'
import { IconButton } from '#client/ui/button.tsx'
import { tc } from '#client/ui/console/messages.ts'
import { Icon } from '#client/ui/icon.tsx'
import { later } from '#client/ui/later.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

/** A secret that is shown once, until closed. Closing it before it was copied or downloaded asks first, with the texts of `leave`. */
export function ShownOnce(props: {
  label: string
  title: string
  why: string
  leave: { title: string; intro: string; safe: string; go: string }
  class?: string
  onClose(): void
  /** The secret; `onTaken`: it was copied or downloaded. */
  children: (onTaken: () => void, taken: Accessor<boolean>) => JSX.Element
}) {
  const [taken, setTaken] = createSignal(false)
  const [asking, setAsking] = createSignal(false)
  return (
    <section class={`once ${props.class ?? ''}`} aria-label={props.label}>
      <Icon name="key" />
      <div class="grid min-w-0 gap-2">
        <div>
          <h2>{props.title}</h2>
          <p>{props.why}</p>
        </div>
        {props.children(() => setTaken(true), taken)}
      </div>
      <IconButton name="x" label={tc('close')} onClick={() => (taken() ? props.onClose() : setAsking(true))} />
      <Suspense>
        <Show when={asking()}>
          <Confirm {...props.leave} onClose={() => setAsking(false)} onGo={() => props.onClose()} />
        </Show>
      </Suspense>
    </section>
  )
}
