/** Writing: one call at a time, with its failure where the form shows it. What was typed is the caller's and stays. */
import { type Accessor, createSignal } from 'solid-js'
import type { ApiError } from '#client/api/http.ts'
import { announceError } from '#client/ui/announcer.tsx'
import { createAttempt } from '#client/ui/attempt.ts'
import { explain } from './explain.ts'
import { asApiError } from './load.ts'

/** A write that may be under way or have failed. */
export interface Write {
  busy: Accessor<boolean>
  error: Accessor<ApiError | undefined>
  /** Runs `work` as an attempt does; true when it succeeded. A failure is announced and kept until the next run. */
  run(work: () => Promise<unknown>): Promise<boolean>
  clear(): void
}

/** A write. */
export function createWrite(): Write {
  const [error, setError] = createSignal<ApiError | undefined>()
  return {
    ...createAttempt({
      begun: () => setError(undefined),
      failed(thrown) {
        const failure = asApiError(thrown)
        setError(failure)
        announceError(explain(failure))
      },
    }),
    error,
    clear: () => setError(undefined),
  }
}
