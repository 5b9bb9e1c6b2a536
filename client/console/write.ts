/** Forms: what was typed, and writes, one call at a time, with the error for the form to show. */
import { type Accessor, createEffect, createSignal, on, type Signal } from 'solid-js'
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

/** What is typed in the form of `row`; when the row changes, its values replace it. */
export function createDraft<Row, Draft>(row: Accessor<Row>, draftOf: (row: Row) => Draft): Signal<Draft> {
  const [draft, setDraft] = createSignal(draftOf(row()))
  createEffect(on(row, (changed) => void setDraft(() => draftOf(changed)), { defer: true }))
  return [draft, setDraft]
}
