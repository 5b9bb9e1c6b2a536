/**
 * What a screen reader is told. Two permanent regions: a polite one for progress, an assertive one for errors. The
 * transcript itself is silent, because a live region over a stream reads every token aloud.
 */
import { createSignal } from 'solid-js'

const [polite, setPolite] = createSignal('')
const [urgent, setUrgent] = createSignal('')

/** Says `message` once, after the current tick, even when it is the same as before. */
export function announce(message: string): void {
  setPolite('')
  setTimeout(() => setPolite(message))
}

/** Says an error at once. */
export function announceError(message: string): void {
  setUrgent('')
  setTimeout(() => setUrgent(message))
}

/** Mounted once, at the roof. */
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
