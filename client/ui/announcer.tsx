/**
 * Announcements for screen readers through two permanent live regions: polite for progress, assertive for errors. The
 * transcript itself is silent, because a live region over a stream would read every token aloud.
 */
import { createSignal } from 'solid-js'

const [polite, setPolite] = createSignal('')
const [urgent, setUrgent] = createSignal('')

/** Messages are removed after this time, so that old ones are not read later. */
const clearAfterMs = 10_000

function announcerOf(set: (message: string) => void): (message: string) => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  return (message) => {
    clearTimeout(timer)
    set('')
    timer = setTimeout(() => {
      set(message)
      timer = setTimeout(() => set(''), clearAfterMs)
    })
  }
}

/** Announces `message` politely on the next tick, even when it is the same as before. */
export const announce = announcerOf(setPolite)

/** Announces an error at once, interrupting other announcements. */
export const announceError = announcerOf(setUrgent)

/** The two live regions. Mounted once, by the application. */
export function Announcer() {
  return (
    <>
      <div class="hidden-text fixed top-0 left-0" role="status" aria-atomic="true">
        {polite()}
      </div>
      <div class="hidden-text fixed top-0 left-0" role="alert" aria-atomic="true">
        {urgent()}
      </div>
    </>
  )
}
