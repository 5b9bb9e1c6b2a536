/**
 * What a form does when it is sent: one call at a time, and no press is lost. Whoever corrects what was typed while a call is under way and
 * sends again gets the second call as soon as the first has failed; sending the same twice is one call.
 */
import { type Accessor, createContext, createSignal } from 'solid-js'

/** What was typed or chosen on the page, counted: a second press is told from a double click by it. */
let typedSoFar = 0
if (typeof document !== 'undefined') {
  for (const kind of ['input', 'change']) document.addEventListener(kind, () => (typedSoFar += 1), true)
}

/** The calls of one form. */
export interface Attempt {
  busy: Accessor<boolean>
  /** Makes the call now, or once the one under way has failed; true when it succeeded, false when it failed or was not made. */
  run(work: () => Promise<unknown>): Promise<boolean>
}

/** Takes why a form was refused where something around the form shows it: a dialog in its foot. */
export const RefusalContext = createContext<((text: string | undefined) => void) | undefined>()

/** The calls of one form. `begun` runs before each; `failed` gets what one has thrown, unless the next is waiting. `edits` counts changes. */
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
