/** Writes: one call at a time, with its error for the form to show. Form values stay with the caller. */
import { type Accessor, createSignal } from 'solid-js'
import type { ApiError } from '#client/api/http.ts'
import { announceError } from '#client/ui/announcer.tsx'
import { createAttempt } from '#client/ui/attempt.ts'
import { showFault } from '#client/ui/keep-focus.ts'
import { explain } from './explain.ts'
import { asApiError } from './load.ts'

/** A write that may be running or have failed. */
export interface Write {
  busy: Accessor<boolean>
  error: Accessor<ApiError | undefined>
  /** The error message, unless a field shows it. */
  unshown: Accessor<string | undefined>
  /** Runs `work` like an attempt; true on success. An error is announced, and kept until the next run. */
  run(work: () => Promise<unknown>): Promise<boolean>
  clear(): void
}

/** Creates a write. */
export function createWrite(): Write {
  const [error, setError] = createSignal<ApiError | undefined>()
  const [unshown, setUnshown] = createSignal<string | undefined>()
  const clear = () => {
    setError(undefined)
    setUnshown(undefined)
  }
  return {
    ...createAttempt({
      begun: clear,
      failed(thrown) {
        const failure = asApiError(thrown)
        if (!showFault(() => setError(failure))) showFault(() => setUnshown(explain(failure)))
        announceError(explain(failure))
      },
    }),
    error,
    unshown,
    clear,
  }
}
