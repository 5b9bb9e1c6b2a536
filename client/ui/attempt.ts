/**
 * Form submission: one call at a time, and no press is lost. If the user corrects the input while a call is running and
 * submits again, the second call follows as soon as the first has failed; submitting the same twice is one call.
 */
import { type Accessor, createContext, createSignal } from 'solid-js'

/** Counts inputs on the page, to distinguish a second submission from a double click. */
let typedSoFar = 0
if (typeof document !== 'undefined') {
  for (const kind of ['input', 'change']) document.addEventListener(kind, () => (typedSoFar += 1), true)
}

/** The calls of one form. */
export interface Attempt {
  busy: Accessor<boolean>
  /** Makes the call now, or once the running one has failed; true if it succeeded, false if it failed or was not made. */
  run(work: () => Promise<unknown>): Promise<boolean>
}

/** Receives the error of a form if something around it shows it, such as a dialog in its foot. */
export const RefusalContext = createContext<((text: string | undefined) => void) | undefined>()

/** Creates the calls of one form. `begun` runs before each; `failed` gets its error, unless the next is waiting. `edits` counts changes. */
export function createAttempt(on: { begun(): void; failed(thrown: unknown): void }, edits = () => typedSoFar): Attempt {
  const [busy, setBusy] = createSignal(false)
  let known = 0
  let waiting: { work: () => Promise<unknown>; end(succeeded: boolean): void } | undefined

  async function make(work: () => Promise<unknown>): Promise<boolean> {
    on.begun()
    try {
      await work()
      waiting?.end(false)
      waiting = undefined
      setBusy(false)
      return true
    } catch (thrown) {
      const next = waiting
      waiting = undefined
      if (next) void make(next.work).then(next.end)
      else {
        on.failed(thrown)
        setBusy(false)
      }
      return false
    }
  }
  return {
    busy,
    async run(work) {
      const isSame = edits() === known
      known = edits()
      if (!busy()) {
        setBusy(true)
        return make(work)
      }
      if (isSame) return false
      waiting?.end(false)
      return new Promise((end) => {
        waiting = { work, end }
      })
    },
  }
}
