/** The bar for unsaved changes. */
import { useBeforeLeave } from '@solidjs/router'
import { createSignal, onCleanup, Show, Suspense } from 'solid-js'
import { Portal } from 'solid-js/web'
import { Button } from '#client/ui/button.tsx'
import { later } from '#client/ui/later.ts'
import { tc } from './messages.ts'
import type { ReviewLine } from './review-dialog.tsx'

const ReviewDialog = later(async () => (await import('./review-dialog.tsx')).ReviewDialog)
const Confirm = later(async () => (await import('#client/ui/dialog.tsx')).Confirm)

/** Shown below the page while there are unsaved changes: lists, saves or discards them. Leaving with changes asks once. */
export function SaveBar(props: {
  changes: readonly string[]
  /** The changes, for review before saving. */
  review?: () => readonly ReviewLine[]
  /** Whether changes survive switching to other tabs of the page. */
  tabsKeep?: boolean
  busy: boolean
  error?: string | undefined
  onSave(): void
  onDiscard(): void
}) {
  const [reviewing, setReviewing] = createSignal(false)
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
      </Suspense>
      <AskBeforeLeaving
        changed={props.changes.length > 0}
        keptAt={(to) => (props.tabsKeep ?? false) && to.pathname === location.pathname}
      />
    </>
  )
}

/** Asks once before leaving with unsaved changes. `keptAt` tells which URLs keep them. */
export function AskBeforeLeaving(props: { changed: boolean; keptAt(to: URL): boolean }) {
  const [leaving, setLeaving] = createSignal<(() => void) | undefined>()
  useBeforeLeave((event) => {
    if (!props.changed || event.defaultPrevented) return
    if (typeof event.to === 'string' && props.keptAt(new URL(event.to, location.href))) return
    event.preventDefault()
    setLeaving(() => () => event.retry(true))
  })
  const stay = (event: BeforeUnloadEvent) => props.changed && event.preventDefault()
  addEventListener('beforeunload', stay)
  onCleanup(() => removeEventListener('beforeunload', stay))
  return (
    <Suspense>
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
  )
}
