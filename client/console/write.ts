/** Writing: one call at a time, with its failure where the form shows it. What was typed is the caller's and stays. */
import { type Accessor, createSignal } from 'solid-js'
import type { ApiError } from '#client/api/http.ts'
import { announceError } from '#client/ui/announcer.tsx'
import { createAttempt } from '#client/ui/attempt.ts'
import { showFault } from '#client/ui/keep-focus.ts'
import { explain } from './explain.ts'
import { asApiError } from './load.ts'

/** A write that may be under way or have failed. */
export interface Write {
  busy: Accessor<boolean>
  error: Accessor<ApiError | undefined>
  /** The failure in words, where no field shows it. */
  unshown: Accessor<string | undefined>
  /** Runs `work` as an attempt does; true when it succeeded. A failure is announced, shown and kept until the next run. */
  run(work: () => Promise<unknown>): Promise<boolean>
  clear(): void
}

/** A write. */
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
