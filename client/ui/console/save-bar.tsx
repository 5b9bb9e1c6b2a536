/** The bar that keeps changes together until they are saved. */
import { useBeforeLeave } from '@solidjs/router'
import { createSignal, onCleanup, Show, Suspense } from 'solid-js'
import { Portal } from 'solid-js/web'
import { Button } from '#client/ui/button.tsx'
import { later } from '#client/ui/later.ts'
import { tc } from './messages.ts'
import type { ReviewLine } from './review-dialog.tsx'

const ReviewDialog = later(async () => (await import('./review-dialog.tsx')).ReviewDialog)
const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

/** Stands below the page while something is changed: names the changes, saves or discards them. Leaving with changes asks once. */
export function SaveBar(props: {
  changes: readonly string[]
  /** What differs, for whoever wants to read it before it is saved. */
  review?: () => readonly ReviewLine[]
  /** Whether the other tabs of the page keep what is changed. */
  tabsKeep?: boolean
  busy: boolean
  error?: string | undefined
  onSave(): void
  onDiscard(): void
}) {
  const [reviewing, setReviewing] = createSignal(false)
  const [leaving, setLeaving] = createSignal<(() => void) | undefined>()
  useBeforeLeave((event) => {
    if (props.changes.length === 0 || event.defaultPrevented) return
    const isTab = typeof event.to === 'string' && new URL(event.to, location.href).pathname === event.from.pathname
    if (isTab && props.tabsKeep) return
    event.preventDefault()
    setLeaving(() => () => event.retry(true))
  })
  const stay = (event: BeforeUnloadEvent) => props.changes.length > 0 && event.preventDefault()
  addEventListener('beforeunload', stay)
  onCleanup(() => removeEventListener('beforeunload', stay))
  return (
    <>
      <Show when={props.changes.length > 0}>
        <Portal mount={document.querySelector('.console > .main') ?? document.body}>
          <section class="save-bar" aria-label={tc('unsaved', { count: props.changes.length })}>
            <div class="save-what">
              <b class="font-medium">{tc('unsaved', { count: props.changes.length })}</b>
              <span class="ml-2 text-ink-3">{props.changes.join(', ')}</span>
              <Show when={props.error}>
                <p class="wrong" role="alert">
                  {props.error}
                </p>
              </Show>
            </div>
            <Show when={props.review}>
              <Button look="ghost" onClick={() => setReviewing(true)}>
                {tc('review')}
              </Button>
            </Show>
            <Button look="ghost" onClick={() => props.onDiscard()}>
              {tc('discard')}
            </Button>
            <Button look="primary" busy={props.busy} onClick={() => !props.busy && props.onSave()}>
              {tc('save')}
            </Button>
          </section>
        </Portal>
      </Show>
      <Suspense>
        <Show when={reviewing()}>
          <ReviewDialog lines={props.review?.() ?? []} onClose={() => setReviewing(false)} onSave={() => props.onSave()} />
        </Show>
        <Show when={leaving()}>
          {(go) => (
            <Confirm
              title={tc('leave')}
              intro={tc('leaveWhy')}
              safe={tc('leaveStay')}
              go={tc('leaveGo')}
              onClose={() => setLeaving(undefined)}
              onGo={() => {
                const retry = go()
                setLeaving(undefined)
                retry()
              }}
            />
          )}
        </Show>
      </Suspense>
    </>
  )
}
