/**
 * Announcements for screen readers through two permanent live regions: polite for progress, assertive for errors. The
 * transcript itself is silent, because a live region over a stream would read every token aloud.
 */
import { createSignal } from 'solid-js'

const [polite, setPolite] = createSignal('')
const [urgent, setUrgent] = createSignal('')

/** Announces `message` politely on the next tick, even when it is the same as before. */
export function announce(message: string): void {
  setPolite('')
  setTimeout(() => setPolite(message))
}

/** Announces an error at once, interrupting other announcements. */
export function announceError(message: string): void {
  setUrgent('')
  setTimeout(() => setUrgent(message))
}

/** The two live regions. Mounted once, by the application. */
export function Announcer() {
  return (
    <>
      <div class="hidden-text" role="status" aria-atomic="true">
        {polite()}
      </div>
      <div class="hidden-text" role="alert" aria-atomic="true">
        {urgent()}
      </div>
    </>
  )
}
