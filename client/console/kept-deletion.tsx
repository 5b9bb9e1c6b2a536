/** Deletion of kept requests and answers, with a confirmation. */

import { createSignal, Show, Suspense } from 'solid-js'
import { callApi } from '#client/api/http.ts'
import { Button } from '#client/ui/button.tsx'
import { Refusal } from '#client/ui/console/states.tsx'
import { later } from '#client/ui/later.ts'
import { showToast } from '#client/ui/toast.tsx'
import { ts } from './messages.ts'
import { createWrite } from './write.ts'

const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

/** A line about the kept data of a key or a user, with the button that deletes all of it. `name` is that of the key or user. */
export function KeptDeletion(props: { of: { key: string } | { user: string }; name: string }) {
  const kind = () => ('key' in props.of ? ('Key' as const) : ('User' as const))
  const path = () => `/api/bodies?${new URLSearchParams({ ...props.of })}`
  return (
    <Deletion
      path={path()}
      text={ts(`keptOf${kind()}`)}
      title={ts('keptDeleteTitle', { name: props.name })}
      intro={ts(`keptDelete${kind()}`)}
      onDone={(answer) => showToast(ts('keptDeleted', { count: (answer as { deleted: number }).deleted }))}
    />
  )
}

/** The button that deletes the kept data of one request. */
export function KeptRequestDeletion(props: { id: string; onDone(): void }) {
  return (
    <Deletion
      path={`/api/bodies/${encodeURIComponent(props.id)}`}
      title={ts('keptDeleteThis')}
      intro={ts('keptDeleteRequest')}
      onDone={() => props.onDone()}
    />
  )
}

function Deletion(props: { path: string; text?: string; title: string; intro: string; onDone(answer: unknown): void }) {
  const [asking, setAsking] = createSignal(false)
  const write = createWrite()
  const go = () => {
    setAsking(false)
    void write.run(async () => props.onDone(await callApi('DELETE', props.path)))
  }
  return (
    <div class="flex flex-wrap items-center gap-3 text-[13px]">
      <Show when={props.text}>
        <span class="min-w-[min(100%,220px)] flex-1 text-ink-2">{props.text}</span>
      </Show>
      <Button look="bad" busy={write.busy()} onClick={() => !write.busy() && setAsking(true)}>
        {ts('keptDelete')}
      </Button>
      <Refusal of={write} class="basis-full" />
      <Suspense>
        <Show when={asking()}>
          <Confirm
            title={props.title}
            intro={props.intro}
            safe={ts('keptDeleteKeep')}
            go={ts('keptDelete')}
            onClose={() => setAsking(false)}
            onGo={go}
          />
        </Show>
      </Suspense>
    </div>
  )
}
